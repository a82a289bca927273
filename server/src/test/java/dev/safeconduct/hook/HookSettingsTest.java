package dev.safeconduct.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the owner of a passport sets for hooks: approvals, addresses, tools. */
final class HookSettingsTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final Calls person = service.operator();

  private static final String WRITE = HookFailureTest.event("Write");
  private static final String SENDS = "{'tools': {'send_note': 'messaging.message.send.v1'}}";
  private static final JsonObject NOTE =
      Calls.json("{'channel_id': 'team', 'message': 'Done.', 'message_type': 'text'}");
  private static final String SEND = event("claude-code", NOTE).toString();

  private static String passport(String hooks) {
    return Questions.issued(
        service,
        Calls.json(
            """
            {'name': 'Coder',
             'capabilities': ['data.file.read', 'data.file.write', 'messaging.send'],
             'limits': {'data.file.read': {'allowed_paths': ['/srv/p']},
               'data.file.write': {'allowed_paths': ['/srv/p']},
               'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,
                 'allowed_recipients': ['*'], 'approval_required': true}},
             'hooks': %s}
            """
                .formatted(hooks)));
  }

  private static AgentReading.Effect effect(String agentId, String agent, String body) {
    Reply reply =
        service.owner().with("Safeconduct-Agent", agentId).post("/api/hooks/" + agent, body);
    return AgentReading.of(agent, body.contains("Permission") ? "PermissionRequest" : "", reply);
  }

  @Test
  void approvesForTheUserWhereTheOwnerSaysSo() {
    String agent = passport("{'auto_approve': ['data.file.read']}");
    String read = HookFailureTest.event("Read");
    for (String each : List.of("claude-code", "copilot", "vscode")) {
      String body = each.equals("vscode") ? read.replace("Read", "view") : read;
      assertThat(effect(agent, each, body)).as(each).isEqualTo(AgentReading.Effect.APPROVE);
    }
    String request = read.replace("PreToolUse", "PermissionRequest");
    assertThat(effect(agent, "claude-code", request)).isEqualTo(AgentReading.Effect.APPROVE);
    assertThat(effect(agent, "copilot", request)).isEqualTo(AgentReading.Effect.APPROVE);
    assertThat(effect(agent, "codex", request.replace("Read", "update_plan")))
        .isEqualTo(AgentReading.Effect.ALLOW);
    assertThat(effect(agent, "claude-code", WRITE)).isEqualTo(AgentReading.Effect.ALLOW);
  }

  @Test
  void doesNotApproveWhatOnlyObserveModeAllows() {
    String agent = passport("{'auto_approve': ['data.file.read']}");
    JsonObject observe = Calls.json("{'mode': 'observe', 'days': 7, 'reason': 'A trial.'}");
    assertThat(person.put("/api/passports/" + agent + "/mode", observe.toString()).status())
        .isEqualTo(200);
    String read = HookFailureTest.event("Read");
    for (String event : List.of("PreToolUse", "PermissionRequest")) {
      String body = read.replace("PreToolUse", event);
      assertThat(effect(agent, "claude-code", body)).isEqualTo(AgentReading.Effect.APPROVE);
      String elsewhere = body.replace("/srv/p/", "/opt/other/");
      assertThat(elsewhere).isNotEqualTo(body);
      assertThat(effect(agent, "claude-code", elsewhere)).isEqualTo(AgentReading.Effect.ALLOW);
    }
  }

  @Test
  void approvesAnActionWhereAllThatItsPackMayNeedIsApproved() {
    String merge =
        event(
                "claude-code",
                Calls.json(
                    "{'repository': 'a/b', 'action': 'pr.create', 'base_branch': 'main', 'branch': 'topic', 'lines_added': 4}"))
            .toString()
            .replace("send_note", "merge_pr");
    for (String approved : List.of("'repo.merge'", "'repo.merge', 'repo.pr.create'")) {
      String agent =
          Questions.issued(
              service,
              Calls.json(
                  """
                  {'name': 'Coder', 'capabilities': ['repo.pr.create', 'repo.merge'],
                   'limits': {'code.repository.merge': {'allowed_repos': ['a/b'],
                     'max_pr_size_kb': 2, 'max_prs_per_day': 9}},
                   'hooks': {'tools': {'merge_pr': 'repo.merge'}, 'auto_approve': [%s]}}
                  """
                      .formatted(approved)));
      Questions.assure(service, agent, "L2");
      assertThat(effect(agent, "claude-code", merge))
          .isEqualTo(
              approved.contains("create")
                  ? AgentReading.Effect.APPROVE
                  : AgentReading.Effect.ALLOW);
    }
  }

  @Test
  void anApprovalIsForTheRepeatedCallOnce() {
    String agent = passport(SENDS);
    Calls caller = service.owner().with("Safeconduct-Agent", agent);
    Reply first = caller.post("/api/hooks/claude-code", SEND);
    assertThat(AgentReading.of("claude-code", "", first)).isEqualTo(AgentReading.Effect.DENY);
    String reason = first.header("Safeconduct-Reason").orElseThrow();
    assertThat(reason).contains("oap.approval_required").contains("/console/approvals/apr_");
    String id = reason.replaceFirst(".*/console/approvals/(apr_[0-9a-f]+).*", "$1");
    Reply again = caller.post("/api/hooks/claude-code", SEND);
    assertThat(again.header("Safeconduct-Reason").orElseThrow()).contains(id);
    assertThat(person.post("/api/approvals/" + id + "/approve", "{}").status()).isEqualTo(200);
    assertThat(effect(agent, "claude-code", SEND.replace("Done", "Gone")))
        .isEqualTo(AgentReading.Effect.DENY);
    assertThat(effect(agent, "claude-code", SEND)).isEqualTo(AgentReading.Effect.ALLOW);
    Reply third = caller.post("/api/hooks/claude-code", SEND);
    String other =
        third
            .header("Safeconduct-Reason")
            .orElseThrow()
            .replaceFirst(".*/console/approvals/(apr_[0-9a-f]+).*", "$1");
    assertThat(other).startsWith("apr_").isNotEqualTo(id);
    assertThat(person.post("/api/approvals/" + other + "/refuse", "{}").status()).isEqualTo(200);
    assertThat(
            caller.post("/api/hooks/claude-code", SEND).header("Safeconduct-Reason").orElseThrow())
        .contains("refused");
  }

  /** As the MCP server's tool asks: by a verify call, with the members in another order. */
  @Test
  void anApprovalThatTheAgentAskedForBeforeIsForTheCallOnce() {
    String agent = passport(SENDS);
    String asked = "{'message_type': 'text', 'message': 'Done.',  'channel_id': 'team'}";
    Reply denied =
        service
            .owner()
            .post(
                "/api/verify/policy/messaging.message.send.v1",
                ("{'agent_id': '" + agent + "', 'context': " + asked + "}").replace('\'', '"'));
    String id = denied.json().object("approval").orElseThrow().string("approval_id").orElseThrow();
    assertThat(effect(agent, "claude-code", SEND)).isEqualTo(AgentReading.Effect.DENY);
    assertThat(person.post("/api/approvals/" + id + "/approve", "{}").status()).isEqualTo(200);
    assertThat(effect(passport(SENDS), "claude-code", SEND)).isEqualTo(AgentReading.Effect.DENY);
    assertThat(effect(agent, "claude-code", SEND)).isEqualTo(AgentReading.Effect.ALLOW);
    assertThat(effect(agent, "claude-code", SEND)).isEqualTo(AgentReading.Effect.DENY);
  }

  /** The agent asks its user only if the hook program was told that its user may approve. */
  @TestFactory
  Stream<DynamicTest> asksTheUserOfTheAgentIfTheyMayApprove() {
    String agent = passport(SENDS);
    Calls caller = service.owner().with("Safeconduct-Agent", agent);
    return Stream.of(
            "claude-code ASK",
            "copilot ASK",
            "vscode ASK",
            "codex DENY",
            "cursor DENY",
            "gemini-cli DENY",
            "goose DENY",
            "kiro DENY")
        .map(each -> each.split(" "))
        .map(each ->
            DynamicTest.dynamicTest(
                each[0],
                () -> {
                  JsonObject event = event(each[0], NOTE);
                  String path = "/api/hooks/" + each[0];
                  assertThat(AgentReading.of(each[0], "", caller.post(path, event)))
                      .isEqualTo(AgentReading.Effect.DENY);
                  for (Reply reply :
                      List.of(
                          caller.post(path + "?local_approval=1", event),
                          caller.with("Safeconduct-Local-Approval", "1").post(path, event))) {
                    assertThat(AgentReading.of(each[0], "", reply))
                        .isEqualTo(AgentReading.Effect.valueOf(each[1]));
                  }
                }));
  }

  /** An event of the agent with a tool that its own table does not list. */
  private static JsonObject event(String agent, JsonObject input) {
    JsonObject event = HookCases.of(agent).getFirst().event();
    boolean camel = event.has("toolName");
    return event
        .with(camel ? "toolName" : "tool_name", new JsonString("send_note"))
        .with(camel ? "toolArgs" : "tool_input", input);
  }

  @TestFactory
  List<DynamicTest> refusesWhatIsNotASetting() {
    return CaseFile.tests(
        "hooks/settings.json",
        one -> one.string("field").orElseThrow(),
        one -> {
          JsonObject body =
              JsonObject.builder()
                  .put("name", "Coder")
                  .put("hooks", java.util.Objects.requireNonNull(one.get("hooks")))
                  .build();
          Reply made = service.owner().post("/api/passports", body);
          assertThat(made.status()).as(made.toString()).isEqualTo(400);
          assertThat(made.string("field")).isEqualTo(one.string("field").orElseThrow());
          String agent = passport("{}");
          Reply changed =
              service.owner().patch("/api/passports/" + agent, body.without("name").toString());
          assertThat(changed.status()).isEqualTo(400);
        });
  }

  @Test
  void anInstanceHasNoMoreThanItsTemplate() {
    String hooks =
        """
        {'servers': {'docs': 'https://docs.example.com/'}, 'tools': {'Skill': 'none'},
         'auto_approve': ['data.file.read']}
        """;
    String template = passport(hooks);
    String instances = "/api/passports/" + template + "/instances";
    for (String wider :
        List.of(
            "{'servers': {'docs': 'https://else.example.com/'}}",
            "{'tools': {'Other': 'none'}}",
            "{'auto_approve': ['data.file.write']}")) {
      Reply refused = service.owner().post(instances, Calls.json("{'hooks': " + wider + "}"));
      assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
      assertThat(refused.string("field")).startsWith("hooks.");
    }
    Reply made = service.owner().post(instances, "{}");
    String instance = made.string("agent_id");
    assertThat(effect(instance, "claude-code", HookFailureTest.event("Read")))
        .isEqualTo(AgentReading.Effect.APPROVE);
    assertThat(effect(instance, "claude-code", HookFailureTest.event("Skill")))
        .isEqualTo(AgentReading.Effect.ALLOW);
    Reply less = service.owner().patch("/api/passports/" + template, "{\"hooks\": {}}");
    assertThat(less.status()).as(less.toString()).isEqualTo(200);
    assertThat(effect(instance, "claude-code", HookFailureTest.event("Read")))
        .isEqualTo(AgentReading.Effect.ALLOW);
    assertThat(effect(instance, "claude-code", HookFailureTest.event("Skill")))
        .isEqualTo(AgentReading.Effect.DENY);
  }

  /** A passport's history is about the passport, and the input of a tool is nobody's record. */
  @Test
  void recordsToolsWithoutAnActionApart() {
    String agent = passport("{}");
    effect(agent, "claude-code", HookFailureTest.event("TodoWrite").replace("/srv/p/a", "s3cret"));
    Reply history = service.owner().get("/api/passports/" + agent + "/history");
    assertThat(history.text()).doesNotContain("hook_call");
    Reply records = service.owner().get("/api/audit?kind=hook_call&agent_id=" + agent);
    assertThat(records.text()).contains("TodoWrite", "no_action").doesNotContain("s3cret");
  }
}
