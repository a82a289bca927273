package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.Conversation;
import dev.safeconduct.gateway.testkit.RunningService;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of tools, the calls that it promises, and limits. */
class ListTest {
  private static final RunningService SERVICE = RunningService.shared();
  private static final List<String> NAMES =
      List.of("echo", "Echo", "echo2", "fs.read", "fs.write", "fs_read", "admin", "a/b", "x y");

  @TempDir private Path folder = Path.of(".");
  private @Nullable ScriptedServer server;

  @BeforeEach
  void script() throws IOException {
    server = new ScriptedServer(folder);
  }

  private Conversation client(Map<String, ?> limits) throws IOException, ConfigException {
    return Conversation.with(
        Objects.requireNonNull(server), SERVICE.agent(limits), folder.resolve("pins"));
  }

  private static Map<String, ?> limits(int calls, Map<String, ?> more) {
    var limits =
        new HashMap<String, Object>(
            Map.of("allowed_servers", List.of("mcp:test"), "max_calls_per_minute", calls));
    limits.putAll(more);
    return limits;
  }

  @Test
  void theListIsWhatACallCouldGet() throws IOException, ConfigException {
    var tools = new ArrayList<Map<String, ?>>();
    NAMES.forEach(name -> tools.add(ScriptedServer.tool(name, "A tool.")));
    Objects.requireNonNull(server).script(Map.of("tools", tools, "pageSize", 4));
    var random = new Random(7);
    for (int round = 0; round < 8; round++) {
      var more = new HashMap<String, Object>();
      more.put("allowed_tools", some(random, List.of("*", "echo", "fs.read", "admin", "a/b")));
      if (random.nextBoolean()) {
        more.put("allowed_tool_prefixes", some(random, List.of("fs", "e", "E*")));
      }
      if (random.nextBoolean()) {
        more.put("blocked_tools", some(random, List.of("ECHO", "fs.*", "admin")));
      }
      if (round == 3) {
        more.put("allowed_servers", List.of("mcp:other"));
      }
      try (Conversation client = client(limits(10_000, more))) {
        var listed = new ArrayList<String>();
        Map<String, @Nullable Object> params = Map.of();
        do {
          Map<String, @Nullable Object> page =
              Message.objectOrEmpty(client.ask("tools/list", params).result());
          for (Object tool : (List<?>) Objects.requireNonNull(page.get("tools"))) {
            listed.add(String.valueOf(Message.objectOrEmpty(tool).get("name")));
          }
          Object cursor = page.get("nextCursor");
          params = cursor == null ? Map.of() : Map.of("cursor", cursor);
        } while (!params.isEmpty());
        for (String name : NAMES) {
          boolean isRefused = Answers.text(client.call(name, Map.of())).startsWith("Unknown tool");
          assertThat(listed.contains(name)).as(name + " with " + more).isEqualTo(!isRefused);
        }
      }
    }
  }

  private static List<String> some(Random random, List<String> all) {
    var some = new ArrayList<String>();
    all.stream().filter(each -> random.nextInt(3) == 0).forEach(some::add);
    return some.isEmpty() ? List.of(all.get(1)) : some;
  }

  @Test
  void listingTouchesNoCounter() throws IOException, ConfigException {
    try (Conversation client = client(limits(2, Map.of("allowed_tools", List.of("echo"))))) {
      for (int i = 0; i < 4; i++) {
        assertThat(client.tools()).containsExactly("echo");
      }
      assertThat(Answers.word(client.call("echo", Map.of()))).isEqualTo("ok");
      assertThat(Answers.word(client.call("echo", Map.of()))).isEqualTo("ok");
      assertThat(Answers.word(client.call("echo", Map.of())))
          .isEqualTo("denied oap.rate_limit_exceeded");
      assertThat(client.tools()).containsExactly("echo");
    }
  }

  @Test
  void parallelCallsStopAtTheLimit() throws IOException, ConfigException {
    try (Conversation client = client(limits(10, Map.of("allowed_tools", List.of("echo"))))) {
      for (long id = 1; id <= 40; id++) {
        client.send(
            Message.request(id, "tools/call", Map.of("name", "echo", "arguments", Map.of()))
                .bytes());
      }
      int allowed = 0;
      for (int i = 0; i < 40; i++) {
        allowed += Answers.word(client.next()).equals("ok") ? 1 : 0;
      }
      assertThat(allowed).isEqualTo(10);
      assertThat(Objects.requireNonNull(server).calls()).isEqualTo(10);
    }
  }

  @Test
  void theFirstCallAfterASuspensionIsDenied() throws IOException, ConfigException {
    String agent = SERVICE.agent(limits(10_000, Map.of("allowed_tools", List.of("echo"))));
    try (Conversation client =
            Conversation.with(Objects.requireNonNull(server), agent, folder.resolve("pins"));
        Safeconduct owner = SERVICE.client()) {
      assertThat(Answers.word(client.call("echo", Map.of()))).isEqualTo("ok");
      assertThat(owner.setStatus(agent, "suspended", "a test")).isNotEmpty();
      assertThat(Answers.word(client.call("echo", Map.of())))
          .isEqualTo("denied oap.passport_suspended");
      assertThat(client.tools()).isEmpty();
      assertThat(Objects.requireNonNull(server).calls()).isEqualTo(1);
    }
  }

  @Test
  void aCallThatWaitsForAnAnswerGetsNoneAfterASuspension() throws IOException, ConfigException {
    String agent = SERVICE.agent(limits(10_000, Map.of("allowed_tools", List.of("ask"))));
    try (Conversation client =
            Conversation.with(Objects.requireNonNull(server), agent, folder.resolve("pins"));
        Safeconduct owner = SERVICE.client()) {
      Map<String, ?> call =
          Map.of("name", "ask", "arguments", Map.of("method", "elicitation/create"));
      for (String expected : List.of("answered", "refused -32001")) {
        client.send(Message.request(7L, "tools/call", call).bytes());
        Message asked = client.next();
        if (expected.startsWith("refused")) {
          assertThat(owner.setStatus(agent, "suspended", "a test")).isNotEmpty();
        }
        client.send(Message.result(asked.id(), Map.of("action", "accept")).bytes());
        assertThat(Answers.text(client.response(7L))).isEqualTo(expected);
      }
    }
  }

  /** Whatever the server asks for, and whether it says so or not: a prompt, a call that ended. */
  @ParameterizedTest
  @ValueSource(strings = {"prompt", "cancelled", "ended"})
  void theServerGetsNoInputAfterASuspension(String cause) throws IOException, ConfigException {
    String agent = SERVICE.agent(limits(10_000, Map.of("allowed_tools", List.of("*"))));
    try (Conversation client =
            Conversation.with(Objects.requireNonNull(server), agent, folder.resolve("pins"));
        Safeconduct owner = SERVICE.client()) {
      long id = 6;
      for (String expected : List.of("\"accept\"", "-32001")) {
        id++; // The prompt may still wait for its response when the server has the answer.
        if (cause.equals("prompt")) {
          client.send(Message.request(id, "prompts/get", Map.of("name", "ask")).bytes());
        } else {
          Map<String, ?> call = Map.of("name", "ask_later", "arguments", Map.of("when", cause));
          client.send(Message.request(id, "tools/call", call).bytes());
        }
        if (cause.equals("cancelled")) {
          untilReceived(client, "\"ask_later\"", expected.equals("-32001") ? 2 : 1);
          Map<String, ?> request = Map.of("requestId", id);
          client.send(Message.notification("notifications/cancelled", request).bytes());
        }
        Message asked = client.next();
        while (asked.kind() != Message.Kind.REQUEST) {
          asked = client.next();
        }
        if (expected.equals("-32001")) {
          assertThat(owner.setStatus(agent, "suspended", "a test")).isNotEmpty();
        }
        client.send(Message.result(asked.id(), Map.of("action", "accept")).bytes());
        untilReceived(client, expected, 1);
      }
      assertThat(Objects.requireNonNull(server).received())
          .filteredOn(line -> line.contains("\"accept\""))
          .hasSize(1);
    }
  }

  private void untilReceived(Conversation client, String part, int times) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (System.nanoTime() < end) {
      assertThat(Answers.word(client.ask("ping", Map.of()))).isEqualTo("ok");
      List<String> received = Objects.requireNonNull(server).received();
      if (received.stream().filter(line -> line.contains(part)).count() >= times) {
        return;
      }
    }
    throw new AssertionError("the server did not receive " + part);
  }

  /** Its results can still be read; it gets no further input, and no other client gives it any. */
  @Test
  void aTaskGetsNoInputAfterASuspension() throws IOException, ConfigException {
    String agent = SERVICE.agent(limits(10_000, Map.of("allowed_tools", List.of("task"))));
    Map<String, ?> input = Map.of("taskId", "task-7", "inputResponses", Map.of("a", 1));
    try (Conversation client =
            Conversation.with(Objects.requireNonNull(server), agent, folder.resolve("pins"));
        Safeconduct owner = SERVICE.client()) {
      assertThat(Answers.word(client.ask("tasks/update", input))).isEqualTo("error -32602");
      client.send(Message.request(7L, "tools/call", Map.of("name", "task")).bytes());
      assertThat(Answers.word(client.response(7L))).isEqualTo("ok");
      Message updated = client.ask("tasks/update", input);
      assertThat(Answers.word(updated)).isEqualTo("ok");
      String decision = String.valueOf(Answers.meta(updated).get("safeconduct/decision_id"));
      assertThat(SERVICE.record(decision)).contains("inputResponses");
      assertThat(owner.setStatus(agent, "suspended", "a test")).isNotEmpty();
      Message denied = client.ask("tasks/update", input);
      assertThat(Answers.word(denied)).isEqualTo("error -32001");
      assertThat(String.valueOf(denied.error())).contains("oap.passport_suspended");
      Message task = client.ask("tasks/get", Map.of("taskId", "task-7"));
      assertThat(Answers.word(task)).isEqualTo("ok");
      assertThat(Answers.meta(task)).as("the server names no decision").containsOnlyKeys("own");
      assertThat(
              Objects.requireNonNull(server).received().stream()
                  .filter(line -> line.contains("tasks/update")))
          .hasSize(1);
    }
  }

  /** The first list asks for each tool, a later one asks once, until something changed. */
  @Test
  void repeatedListsAreOneRecordEach() throws IOException, ConfigException {
    var tools = new ArrayList<Map<String, ?>>();
    for (int i = 0; i < 30; i++) {
      tools.add(ScriptedServer.tool("tool" + i, "A tool."));
    }
    Objects.requireNonNull(server).script(Map.of("tools", tools));
    Map<String, ?> limits = limits(10_000, Map.of("allowed_tools", List.of("tool7", "tool8")));
    String agent = SERVICE.agent(limits);
    try (Conversation client =
            Conversation.with(Objects.requireNonNull(server), agent, folder.resolve("pins"));
        Safeconduct owner = SERVICE.client()) {
      assertThat(client.tools()).containsExactly("tool7", "tool8");
      assertThat(SERVICE.decisions(agent)).isEqualTo(30);
      for (int i = 1; i <= 5; i++) {
        assertThat(client.tools()).containsExactly("tool7", "tool8");
        assertThat(SERVICE.decisions(agent)).isEqualTo(30 + i);
      }
      var narrower = new HashMap<String, Object>(limits);
      narrower.put("allowed_tools", List.of("tool8", "tool9"));
      owner.request(
          "PATCH",
          "/api/passports/" + agent,
          Map.of("limits", Map.of("mcp.tool.execute", narrower)));
      assertThat(client.tools()).as("a changed passport").containsExactly("tool8", "tool9");
      assertThat(owner.setStatus(agent, "suspended", "a test")).isNotEmpty();
      assertThat(client.tools()).as("a suspended passport").isEmpty();
      assertThat(owner.setStatus(agent, "active", "a test")).isNotEmpty();
      assertThat(client.tools()).containsExactly("tool8", "tool9");
    }
  }

  @Test
  void listsOfTheStatelessRevisionAreNotForCaches() throws IOException, ConfigException {
    ScriptedServer scripted = Objects.requireNonNull(server);
    scripted.script(
        Map.of(
            "resultType",
            "complete",
            "ttlMs",
            300_000,
            "cacheScope",
            "public",
            "tools",
            List.of(ScriptedServer.tool("echo", "A tool."))));
    Map<String, ?> more = Map.of("allowed_tools", List.of("echo", "resources.read"));
    try (Conversation client = client(limits(100, more))) {
      Map<String, Object> meta =
          Map.of("_meta", Map.of("io.modelcontextprotocol/protocolVersion", "2026-07-28"));
      assertThat(client.ask("tools/list", meta).result())
          .containsEntry("ttlMs", 0)
          .containsEntry("cacheScope", "private");
      assertThat(client.ask("resources/read", Map.of("uri", "file:///a")).result())
          .containsEntry("ttlMs", 0)
          .containsEntry("cacheScope", "private");
      assertThat(client.ask("prompts/list", meta).result())
          .containsEntry("resultType", "complete")
          .containsEntry("prompts", List.of())
          .containsEntry("cacheScope", "private");
    }
  }
}
