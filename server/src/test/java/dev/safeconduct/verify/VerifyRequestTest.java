package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The request bodies open clients send, and who is judged by them. In bodies, {@code $ID} stands
 * for a hosted agent, {@code $UUID} for its UUID, {@code $OTHER} for another one of the same
 * organization, {@code $FOREIGN} for one of somebody else's.
 */
final class VerifyRequestTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final String id = Questions.hosted(service, 5);

  private static final String other = Questions.hosted(service, 5);

  private static String foreign;

  @BeforeAll
  static void start() {
    Questions.Tenant tenant = Questions.Tenant.made(service, "Foreign", "'read'");
    foreign =
        Questions.hosted(service, tenant.org(), Questions.passport(Questions.freshAgent(), 5));
  }

  private static JsonObject body(String text) {
    return Calls.json(
        text.replace(
                "$PASSPORT_OF",
                "{'status': 'active', 'assurance_level': 'L0',"
                    + " 'capabilities': ['system.command.execute'],"
                    + " 'limits': {'system.command.execute': {'allowed_commands': ['*']}}, 'agent_id'")
            .replace("$UUID", uuid(id))
            .replace("$ID", id)
            .replace("$OTHER", other)
            .replace("$FOREIGN", foreign));
  }

  private static String uuid(String agentId) {
    return agentId
        .substring(3)
        .replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5")
        .toUpperCase(java.util.Locale.ROOT);
  }

  private static Reply ask(String text) {
    return service.owner().post(COMMAND, body(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // V1, V1p, V4, V4g: all in the context
        "{'context': {'agent_id': '$ID', 'policy_id': 'system.command.execute.v1',"
            + " 'idempotency_key': 'idem-12345', 'command': 'git status'}}",
        // V2, V2p: the agent beside the context, nulls for what is not there
        "{'agent_id': '$ID', 'idempotency_key': null, 'context': {'command': 'git status'}}",
        "{'agent_id': '$ID', 'passport': null, 'policy': null,"
            + " 'context': {'agent_id': null, 'command': 'git status'}}",
        // V3: one level deeper
        "{'context': {'agent_id': '$ID', 'policy_id': 'x', 'context': {'command': 'git status'}}}",
        "{'context': {'context': {'agent_id': '$ID', 'command': 'git status'}}}",
        // V4o: more members than the pack knows
        "{'context': {'agent_id': '$ID', 'command': 'git status', 'workdir': '/tmp',"
            + " 'full_command': 'git status', 'idempotency_key': 'idem_mwpxk8d5_viilcwfa'}}",
        // V4c: the command inside a JSON string
        "{'context': {'tool': 'exec.run', 'input': '{\\\"command\\\":\\\"git status\\\"}',"
            + " 'agent_id': '$ID', 'policy_id': 'system.command.execute.v1'}}",
        "{'context': {'tool': 'exec.run', 'params': {'command': 'git status'},"
            + " 'agent_id': '$ID'}}",
        // V4a
        "{'context': {'agent_id': '$ID', 'tool_params': {'command': 'git status'}}}",
        // the UUID form, in every place, and beside the other form
        "{'context': {'agent_id': '$UUID', 'command': 'git status'}}",
        "{'agent_id': '$UUID', 'context': {'agent_id': '$ID', 'command': 'git status'}}",
        // a twin that says the same
        "{'context': {'agent_id': '$ID', 'command': 'git status',"
            + " 'params': {'command': 'git status'}, 'context': {'cmd': 'git status'}}}",
        // what the path says counts
        "{'context': {'agent_id': '$ID', 'policy_id': 'web.fetch.v1', 'command': 'git status'}}",
        // a body passport of a hosted agent is passed over, whatever it says
        "{'passport': $PASSPORT_OF: '$ID'}, 'context': {'command': 'git status'}}",
        "{'passport': {'passport_id': '$UUID', 'status': 'suspended'},"
            + " 'context': {'command': 'git status'}}",
        "{'passport': {'status': 'suspended'},"
            + " 'context': {'agent_id': '$ID', 'command': 'git status'}}",
      })
  void judgesTheHostedPassport(String text) {
    Reply reply = ask(text);
    assertThat(Questions.code(reply)).as(reply.toString()).isEqualTo("oap.allowed");
    assertThat(reply.string("agent_id")).isEqualTo(id);
    assertThat(reply.string("passport_source")).isEqualTo("registry");
    assertThat(reply.string("policy_id")).isEqualTo("system.command.execute.v1");
    assertThat(reply.string("owner_id")).isEqualTo(service.org());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'context': {'agent_id': '$ID', 'command': 'git status',"
            + " 'params': {'command': 'rm -rf /'}}}",
        "{'context': {'agent_id': '$ID', 'command': 'git status',"
            + " 'input': '{\\\"command\\\":\\\"rm -rf /\\\"}'}}",
        "{'context': {'agent_id': '$ID', 'params': {'command': 'git status'},"
            + " 'tool_params': {'command': 'rm -rf /'}}}",
        "{'context': {'agent_id': '$ID', 'command': 'git status', 'cmd': 'rm -rf /'}}",
        "{'context': {'agent_id': '$ID', 'command': 'git status',"
            + " 'context': {'cmd': 'rm -rf /'}}}",
        "{'context': {'agent_id': '$ID', 'args': ['a'], 'command': 'git', 'params':"
            + " {'args': ['b']}}}",
        "{'context': {'agent_id': '$ID'}}",
        "{'context': {'agent_id': '$ID', 'command': ''}}",
        "{'context': {'agent_id': '$ID', 'command': ['git']}}",
        "{'context': {'agent_id': '$ID', 'command': 'git', 'params': {'agent_id': ['$OTHER']}}}",
      })
  void deniesContextsThatContradictThemselvesOrLackSomething(String text) {
    Reply reply = ask(text);
    assertThat(Questions.code(reply)).as(reply.toString()).isEqualTo("oap.invalid_context");
    assertThat(reply.json().isTrue("allow")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'agent_id': '$OTHER', 'context': {'agent_id': '$ID', 'command': 'git'}}",
        "{'context': {'agent_id': '$ID', 'context': {'agent_id': '$OTHER', 'command': 'git'}}}",
        "{'context': {'agent_id': '$ID', 'params': {'agent_id': '$OTHER'}, 'command': 'git'}}",
        "{'context': {'agent_id': '$ID', 'command': 'git',"
            + " 'input': '{\\\"agent_id\\\": \\\"$OTHER\\\"}'}}",
        "{'passport': $PASSPORT_OF: '$OTHER'}, 'context': {'agent_id': '$ID', 'command': 'git'}}",
        "{'passport': $PASSPORT_OF: 'elsewhere'}, 'agent_id': '$ID',"
            + " 'context': {'command': 'git'}}",
        "{'context': {'command': 'git'}}",
        "{'passport': $PASSPORT_OF: ''}, 'context': {'command': 'git'}}",
        "{'agent_id': '', 'context': {'agent_id': '$ID', 'command': 'git'}}",
        "{'agent_id': 5, 'context': {'agent_id': '$ID', 'command': 'git'}}",
        "{'context': {'agent_id': ['$ID'], 'command': 'git'}}",
        "{'passport': $PASSPORT_OF: 5}, 'context': {'command': 'git'}}",
        "{'passport': {'passport_id': 7}, 'context': {'command': 'git'}}",
      })
  void refusesUnclearAgents(String text) {
    long before = Questions.newestRecord(service);
    Reply reply = ask(text);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).containsPattern("(agent|passport)_id");
    assertThat(reply.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'context': {'agent_id': '$FOREIGN', 'command': 'git'}}",
        "{'passport': $PASSPORT_OF: '$FOREIGN'}, 'context': {'command': 'git'}}",
        "{'context': {'agent_id': 'ap_00000000000000000000000000000000', 'command': 'git'}}",
        "{'context': {'agent_id': 'anything else', 'command': 'git'}}",
      })
  void knowsNoOtherAgents(String text) {
    long before = Questions.newestRecord(service);
    Reply reply = ask(text);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(404);
    assertThat(reply.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
    assertThat(reply.string("code")).isEqualTo("not_found");
    assertThat(reply.text()).contains("passport_not_found");
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | context",
        "{'agent_id': '$ID'} | context",
        "{'context': null} | context",
        "{'context': [], 'agent_id': '$ID'} | context",
        "{'context': 'command', 'agent_id': '$ID'} | context",
        "{'passport': 'x', 'context': {}} | passport",
        "{'passport': [], 'context': {}} | passport",
        "{'idempotency_key': 5, 'context': {'agent_id': '$ID', 'command': 'ls'}} | idempotency_key",
        "{'idempotency_key': '', 'context': {'agent_id': '$ID', 'command': 'ls'}} | idempotency_key"
      })
  void namesTheFieldAtFault(String text, String field) {
    long before = Questions.newestRecord(service);
    Reply reply = ask(text);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo(field);
    assertThat(reply.string("error")).isEqualTo("invalid_request");
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"no.such.pack.v1", "system.command.execute", "in_body", "%00", "a%2Fb"})
  void knowsNoOtherPacks(String pack) {
    Reply reply = service.owner().post("/api/verify/policy/" + pack, Questions.command(id, "git"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(404);
    assertThat(reply.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
  }

  @Test
  void translatesOldPackIds() {
    Reply reply =
        service.owner().post("/api/verify/policy/messaging.send.v1", Questions.message(other));
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.string("policy_id")).isEqualTo("messaging.message.send.v1");
  }

  /** V7. */
  @Test
  void answersAnEmptyBodyPlainly() {
    Reply reply =
        service.owner().with("Content-Type", "application/json").send("POST", COMMAND, "");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.string("message")).contains("empty");
    assertThat(reply.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
  }
}
