package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.Mapping;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.policy.CallDecision;
import dev.safeconduct.gateway.policy.Denials;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.Conversation;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.RunningService;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Arguments of a tool that another policy decides on, too ({@code cases/mappings.json}). */
class MappingTest {
  @TempDir private Path folder = Path.of(".");

  @TestFactory
  Stream<DynamicTest> contextsFollowFromArguments() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(MappingTest.class.getResourceAsStream("/cases/mappings.json"))) {
      var cases = new ArrayList<DynamicTest>();
      for (Object each : (List<?>) Objects.requireNonNull(Json.parse(in.readAllBytes()))) {
        Map<String, @Nullable Object> row = Message.objectOrEmpty(each);
        cases.add(DynamicTest.dynamicTest(String.valueOf(row.get("name")), () -> check(row)));
      }
      return cases.stream();
    }
  }

  private static void check(Map<String, @Nullable Object> row) {
    Map<String, @Nullable Object> form = Message.objectOrEmpty(row.get("mapping"));
    var mapping =
        new Mapping("p.v1", (String) form.get("each"), Message.objectOrEmpty(form.get("context")));
    Map<String, @Nullable Object> arguments = Message.objectOrEmpty(row.get("arguments"));
    if (row.get("fault") instanceof String fault) {
      assertThatThrownBy(() -> mapping.contexts(arguments)).hasMessageContaining(fault);
    } else {
      assertThat(mapping.contexts(arguments)).isEqualTo(row.get("contexts"));
    }
  }

  @Test
  void theMcpPolicyAndTheMappedOneMustAllow() throws IOException, ConfigException {
    var scripted = new ScriptedServer(folder);
    scripted.script(
        Map.of(
            "tools",
            Stream.of("echo", "Echo", "hidden")
                .map(name -> ScriptedServer.tool(name, "A tool."))
                .toList()));
    var mapping =
        new Mapping(
            "messaging.message.send.v1",
            null,
            Map.of(
                "channel_id",
                "$arguments.channel",
                "message",
                "$arguments.text",
                "message_type",
                "text"));
    ServerConfig plain = ServerConfig.ofCommand("test", scripted.command(), List.of());
    var server =
        new ServerConfig(
            "test",
            plain.command(),
            List.of(),
            null,
            Map.of(
                "echo",
                List.of(mapping),
                "hidden",
                List.of(new Mapping("code.release.publish.v1", null, Map.of()))),
            plain.relayed(),
            false,
            plain.http());
    RunningService service = RunningService.shared();
    String agent =
        service.agent(
            Map.of(
                "allowed_servers",
                List.of("mcp:test"),
                "allowed_tools",
                List.of("echo", "hidden", "Echo"),
                "max_calls_per_minute",
                1000));
    try (Conversation client = new Conversation(server, service.client(), agent, null, false)) {
      Message done = client.call("echo", Map.of("channel", "general", "text", "hello"));
      assertThat(Answers.word(done)).isEqualTo("ok");
      List<?> decisions =
          (List<?>) Objects.requireNonNull(Answers.meta(done).get(Denials.DECISION_IDS));
      assertThat(decisions).hasSize(2).doesNotHaveDuplicates();
      assertThat(Answers.meta(done)).containsEntry(Denials.DECISION_ID, decisions.getFirst());
      assertThat(decisions.stream().map(id -> service.record(String.valueOf(id))))
          .satisfiesExactly(
              first -> assertThat(first).contains("mcp.tool.execute.v1"),
              second -> assertThat(second).contains("messaging.message.send.v1"));
      assertThat(Answers.word(client.call("echo", Map.of("channel", "board", "text", "hello"))))
          .isEqualTo("denied oap.channel_forbidden");
      assertThat(Answers.word(client.call("echo", Map.of("text", "hello"))))
          .isEqualTo("denied gateway.invalid_arguments");
      assertThat(Answers.word(client.call("hidden", Map.of())))
          .isEqualTo("denied oap.unknown_capability");
      assertThat(Answers.word(client.call("Echo", Map.of("channel", "board", "text", "hello"))))
          .isEqualTo("denied gateway.unknown_tool");
      assertThat(client.tools()).containsExactly("echo");
      assertThat(scripted.calls()).isEqualTo(1);
    }
    try (Conversation client = new Conversation(server, service.client(), agent, null, true)) {
      Message denied = client.call("echo", Map.of("channel", "board", "text", "hello"));
      assertThat(Answers.word(denied)).isEqualTo("error -32001");
      assertThat(Message.objectOrEmpty(Objects.requireNonNull(denied.error()).get("data")))
          .containsEntry("code", "oap.channel_forbidden")
          .containsKey("decision_id");
      assertThat(Answers.word(client.call("nowhere", Map.of()))).isEqualTo("error -32602");
    }
  }

  /** Tools can be mapped to the same question. */
  @Test
  void anApprovalIsForOneCallOfOneTool() throws Exception {
    var mapping = new Mapping("messaging.message.send.v1", null, Map.of("text", "$arguments.text"));
    ServerConfig plain = ServerConfig.ofCommand("test", List.of("true"), List.of());
    var server =
        new ServerConfig(
            "test",
            plain.command(),
            List.of(),
            null,
            Map.of("post", List.of(mapping), "broadcast", List.of(mapping)),
            plain.relayed(),
            false,
            plain.http());
    try (var service = new DecisionService();
        Safeconduct client =
            Safeconduct.builder()
                .baseUrl(service.url())
                .apiKey("sck_test")
                .requireSignature(true)
                .build()) {
      service.decide(context -> context.containsKey("tool") ? null : "oap.approval_required");
      var policy = new PolicyClient(client, server, null, false, line -> {});
      Map<String, @Nullable Object> text = Map.of("text", "hi");
      assertThat(approval(policy, service, "s", "post", text)).isNull();
      Object first = approval(policy, service, "s", "post", text);
      assertThat(first).isNotNull();
      assertThat(approval(policy, service, "s", "broadcast", text)).isNull();
      assertThat(approval(policy, service, "s", "post", Map.of("text", "hi", "to", "all")))
          .isNull();
      assertThat(approval(policy, service, "other", "post", text)).isNull();
      assertThat(approval(policy, service, "s", "post", text)).isNotNull();
    }
  }

  /** Else three questions would need seven approvals, each before another one is too old. */
  @Test
  void noApprovalIsUsedUpBeforeAllQuestionsHaveTheirs() throws Exception {
    var mapping =
        new Mapping("messaging.message.send.v1", "$arguments.to", Map.of("channel_id", "$each"));
    ServerConfig plain = ServerConfig.ofCommand("test", List.of("true"), List.of());
    var server =
        new ServerConfig(
            "test",
            plain.command(),
            List.of(),
            null,
            Map.of("post", List.of(mapping)),
            plain.relayed(),
            false,
            plain.http());
    try (var service = new DecisionService();
        Safeconduct client =
            Safeconduct.builder()
                .baseUrl(service.url())
                .apiKey("sck_test")
                .requireSignature(true)
                .build()) {
      service.decide(context -> context.containsKey("tool") ? null : "oap.approval_required");
      var policy = new PolicyClient(client, server, null, false, line -> {});
      Map<String, @Nullable Object> arguments = Map.of("to", List.of("one", "two", "one"));
      for (int i = 0; i < 3; i++) {
        assertThat(policy.call("ap_a", "s", "post", arguments))
            .isInstanceOfSatisfying(
                CallDecision.Denied.class,
                denied -> service.approve(Objects.requireNonNull(denied.approval()).approvalId()));
      }
      assertThat(policy.call("ap_a", "s", "post", arguments))
          .isInstanceOf(CallDecision.Allowed.class);
      assertThat(policy.call("ap_a", "s", "post", arguments))
          .isInstanceOf(CallDecision.Denied.class);
    }
  }

  /** Returns the approval that a call used in its mapped question. */
  private static @Nullable Object approval(
      PolicyClient policy,
      DecisionService service,
      String session,
      String tool,
      Map<String, @Nullable Object> arguments) {
    assertThat(policy.call("ap_a", session, tool, arguments))
        .isInstanceOf(CallDecision.Denied.class);
    return service.asked().getLast().get("approval_id");
  }
}
