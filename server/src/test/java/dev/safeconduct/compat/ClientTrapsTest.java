package dev.safeconduct.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has gone wrong between open clients and servers, where no other test holds it already. */
final class ClientTrapsTest {
  private static final int TRAPS = 42;
  private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\|[^|]*\\|([^|]*)\\|");
  private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z]*Test)[.`]");

  @AutoClose private static final TestService service = TestService.start();

  private static final String agent = Questions.hosted(service, 99);

  /** The page names, for every trap, tests that are there, or the reason for having none. */
  @Test
  void everyTrapHasATestOrAReason() throws IOException {
    Map<Integer, String> rows =
        Files.readAllLines(Path.of("docs/contributing/client-traps.md")).stream()
            .map(ROW::matcher)
            .filter(Matcher::matches)
            .collect(Collectors.toMap(row -> Integer.parseInt(row.group(1)), row -> row.group(2)));
    assertThat(rows.keySet())
        .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, TRAPS).boxed().toList());
    rows.forEach((trap, held) -> {
      List<String> named = TEST.matcher(held).results().map(found -> found.group(1)).toList();
      assertThat(named.isEmpty()).as("trap " + trap).isEqualTo(held.contains("No test:"));
      assertThat(named).as("trap " + trap).allMatch(ClientTrapsTest::exists);
    });
  }

  private static boolean exists(String test) {
    try (Stream<Path> files = Files.walk(Path.of("server/src/test/java"))) {
      return files.anyMatch(file -> file.getFileName().toString().equals(test + ".java"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Some clients let their caller overwrite it: the address alone says which pack judges. */
  @Test
  void thePackOfTheContextIsNotThePackOfTheRequest() {
    JsonObject question =
        Calls.json(
            "{'context': {'agent_id': '%s', 'policy_id': 'web.fetch.v1', 'command': 'curl'}}"
                .formatted(agent));
    Reply reply = service.owner().post(Questions.COMMAND, question);
    assertThat(Questions.code(reply)).isEqualTo("oap.command_not_allowed");
    assertThat(reply.string("policy_id")).isEqualTo("system.command.execute.v1");
  }

  /** Wherever the dangerous half of a command stands, it is found. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'command': 'git', 'args': ['-c', 'rm -rf /']}",
        "{'cmd': 'rm -rf /'}",
        "{'command': 'git', 'cmd': 'rm -rf /'}",
        "{'params': {'command': 'rm -rf /'}}",
        "{'command': 'git', 'params': {'command': 'rm -rf /'}}",
        "{'input': '{\\\"command\\\":\\\"rm -rf /\\\"}'}",
        "{'context': {'cmd': 'rm -rf /'}}",
        "{'tool_params': {'command': 'git', 'args': ['-c', 'rm -rf /']}}",
      })
  void aCommandHidesNowhere(String context) {
    JsonObject question =
        JsonObject.builder().put("agent_id", agent).put("context", Calls.json(context)).build();
    Reply reply = service.owner().post(Questions.COMMAND, question);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().get("allow")).as(reply.toString()).isEqualTo(JsonBoolean.FALSE);
  }

  @Test
  void anEntryOfTheAllowListIsAWordAndNoPrefix() {
    assertThat(Questions.code(ask("ls -la"))).isEqualTo("oap.allowed");
    assertThat(Questions.code(ask("lsof"))).isEqualTo("oap.command_not_allowed");
  }

  @Test
  void theWordForAPackInTheBodyIsSpelledOneWay() {
    JsonObject question =
        Questions.command(agent, "git").with("policy", Calls.json("{'id': 'x.v1', 'name': 'X'}"));
    for (String path : List.of("in_body", "In_Body")) {
      assertThat(service.owner().post("/api/verify/policy/" + path, question).status())
          .isEqualTo(404);
    }
    assertThat(service.owner().post("/api/verify/policy/IN_BODY", question).status())
        .isEqualTo(200);
  }

  /** No client names the charset, and all send UTF-8. */
  @Test
  void aBodyIsUtf8WhateverIsSaidOfIt() {
    JsonObject context =
        Calls.json(
            "{'agent_id': '%s', 'channel_id': 'team', 'message': 'Done 🎉 – ça va', 'message_type': 'text'}"
                .formatted(agent));
    JsonObject question = JsonObject.builder().put("context", context).build();
    for (String type : List.of("application/json", "application/json; charset=ISO-8859-1")) {
      Reply reply = service.owner().with("Content-Type", type).post(Questions.MESSAGE, question);
      assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
      assertThat(reply.string("context_digest")).isEqualTo(CanonicalJson.digest(context));
    }
  }

  /** Some clients join a base address that ends in a slash; a redirect would lose the body. */
  @Test
  void aDoubledSlashIsNoRedirect() {
    String path = service.base() + Questions.COMMAND;
    assertThat(path).contains("//api/");
    assertThat(Questions.code(service.owner().post(path, Questions.command(agent, "git"))))
        .isEqualTo("oap.allowed");
  }

  /** These headers are between a client and the application it calls; to us they say nothing. */
  @Test
  void thePassportHeadersOfOtherProtocolsAreIgnored() {
    Calls calls =
        service
            .owner()
            .with("X-Agent-Passport-Id", "ap_other")
            .with("X-Agent-Passport", "eyJhbGciOiJub25lIn0.e30.")
            .with("X-Agent-Signature", "x");
    Reply reply = calls.post(Questions.COMMAND, Questions.command(agent, "git"));
    assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
    assertThat(reply.string("agent_id")).isEqualTo(agent);
  }

  private static Reply ask(String command) {
    return service.owner().post(Questions.COMMAND, Questions.command(agent, command));
  }
}
