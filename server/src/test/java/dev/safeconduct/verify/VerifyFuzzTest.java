package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of spoilt requests, the same at every run: none may end in a 5xx. */
final class VerifyFuzzTest {
  private static final List<String> ADDRESSES =
      List.of(
          COMMAND,
          MESSAGE,
          COMMAND + "?explain=true&dry_run=true",
          "/api/verify/policy/web.fetch.v1?explain=1",
          "/api/verify/policy/data.file.write.v1",
          "/api/verify/policy/mcp.tool.execute.v1",
          "/api/verify/policy/web.browser.v1",
          "/api/verify/policy/web.search.v1",
          "/api/verify/policy/data.file.read.v1",
          "/api/verify/policy/IN_BODY",
          "/api/passports",
          "/api/admin/status");

  /** Pieces that have broken parsers before. */
  private static final List<String> PIECES =
      List.of(
          "null",
          "true",
          "[]",
          "{}",
          "\"\"",
          "0",
          "-0",
          "1e308",
          "-1e-324",
          "9007199254740993",
          "\"\\u0000\"",
          "\"\\ud83d\\ude00\"",
          "\"\\ud800\"",
          "[[[[[[]]]]]]",
          "{\"a\":{\"b\":[]}}",
          "\"2026-01-01T00:00:00Z\"",
          "\"../../etc/passwd\"",
          "\"${x}$(y)`z`\"",
          "\"[^(*+?{\"",
          "\"http://[::1]:99999/%\"",
          "\"xn--\"",
          "\"\u202e\u0130\u00df\"",
          "[null,1,\"x\",{}]",
          "\"" + "a".repeat(300) + "\"",
          "\"*\"",
          "\"L9\"",
          "{\"id\":5,\"params\":[]}");

  private static final List<String> HEADERS =
      List.of(
          "Idempotency-Key",
          "Prefer",
          "User-Agent",
          "X-Request-Id",
          "X-Forwarded-For",
          "Accept",
          "Content-Type",
          "X-API-Key",
          "Authorization",
          "If-None-Match");

  @AutoClose private static final TestService sqlite = TestService.start();

  @AutoClose
  private static final TestService postgres = TestService.start(EachStore.POSTGRES.settings());

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void neverFails(long seed) {
    TestService service = seed % 2 == 0 ? sqlite : postgres;
    var random = new Random(seed);
    String agent = Questions.hosted(service, 1000);
    List<String> seeds =
        List.of(
            Json.text(Questions.command(agent, "git status && ls | wc")),
            Json.text(Questions.message(agent)),
            Json.text(
                Questions.message("ap_sent")
                    .with("passport", Questions.passport("ap_sent", 5))
                    .with(
                        "policy",
                        Calls.json(
                            "{'id': 'a.b.v1', 'requires_capabilities': ['messaging.send'],"
                                + " 'required_context': {'type': 'object', 'properties': {'a': {'type': 'string'}}},"
                                + " 'evaluation_rules': [{'name': 'r', 'deny_code': 'oap.x', 'condition': 'context.a.length < 5'}]}"))),
            Json.text(
                Calls.json(
                    "{'agent_id': '"
                        + agent
                        + "', 'idempotency_key': 'k', 'context': {'url':"
                        + " 'https://a.example/b', 'method': 'GET', 'file_path': '/a/b', 'server':"
                        + " 'x', 'tool': 'y', 'action': 'click', 'params': {'command': 'ls'},"
                        + " 'input': '[]', 'context': {'region': 'US'}}}")),
            Json.text(Questions.passport("ap_" + seed, 5)));
    for (int i = 0; i < 1000; i++) {
      String body = seeds.get(random.nextInt(seeds.size()));
      for (int edits = random.nextInt(4); edits >= 0; edits--) {
        body = spoilt(body, random);
      }
      Calls calls = service.owner();
      if (random.nextInt(4) == 0) {
        calls = calls.with(HEADERS.get(random.nextInt(HEADERS.size())), headerValue(random));
      }
      String address = ADDRESSES.get(random.nextInt(ADDRESSES.size()));
      Reply reply = calls.post(address, body);
      assertThat(reply.status())
          .as("%s %s: %s", address, body, reply)
          .isLessThan(500)
          .isNotIn(301, 302, 406);
      if (!address.endsWith("IN_BODY")) {
        assertThat(reply.text()).as("%s %s", address, body).doesNotContain("oap.policy_error");
      }
      assertThat(reply.json().string("request_id").isPresent() || reply.status() < 400).isTrue();
    }
  }

  private static String spoilt(String body, Random random) {
    int at = body.isEmpty() ? 0 : random.nextInt(body.length());
    String piece = PIECES.get(random.nextInt(PIECES.size()));
    return switch (random.nextInt(6)) {
      case 0 -> body.substring(0, at) + body.substring(Math.min(at + 1, body.length()));
      case 1 -> body.substring(0, at) + (char) random.nextInt(32, 0x2ff) + body.substring(at);
      // Most often a value gives way to another, so that the whole stays JSON.
      default -> replaced(body, at, piece);
    };
  }

  /** The body with the value after the next colon replaced. */
  private static String replaced(String body, int at, String piece) {
    int colon = body.indexOf("\":", at);
    if (colon < 0) {
      return body;
    }
    int start = colon + 2;
    int depth = 0;
    boolean quoted = false;
    int end = start;
    for (; end < body.length(); end++) {
      char c = body.charAt(end);
      if (c == '"' && body.charAt(end - 1) != '\\') {
        quoted = !quoted;
      } else if (!quoted && (c == '{' || c == '[')) {
        depth++;
      } else if (!quoted && (c == '}' || c == ']' || c == ',')) {
        if (depth == 0) {
          break;
        }
        depth -= c == ',' ? 0 : 1;
      }
    }
    return body.substring(0, start) + piece + body.substring(end);
  }

  private static String headerValue(Random random) {
    int length = random.nextInt(60);
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < length; i++) {
      value.append((char) random.nextInt(33, 126));
    }
    return value.toString();
  }
}
