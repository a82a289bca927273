package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.http.RawConnection.Answer;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpRulesTest {
  private static final String ORIGIN = "Origin: https://app.example\r\n";

  private final TestServer server =
      new TestServer(
          Map.of("CORS_ALLOWED_ORIGINS", "https://app.example"),
          Route.get("/policies/{id}", Permission.OPEN, HttpRulesTest::policy),
          Route.get("/things", Permission.scope(Scope.READ), HttpRulesTest::show),
          Route.post("/things", Permission.scope(Scope.READ), r -> Response.json(201, r.json())),
          Route.get("/gone", Permission.OPEN, _ -> Response.empty(204)),
          Route.post("/form", Permission.OPEN, HttpRulesTest::form).form(),
          Route.get("/stream", Permission.OPEN, _ -> stream()),
          Route.get("/bug", Permission.OPEN, _ -> bug()),
          Route.get("/no-text", Permission.OPEN, _ -> noText()),
          Route.get("/claim/{token}", Permission.OPEN, _ -> claimed()),
          Route.get("/limits", Permission.OPEN, _ -> Response.empty(204)).verify());

  private static Response policy(Request request) {
    return Response.json(200, JsonObject.builder().put("id", request.pathParam("id")).build())
        .header("ETag", "\"v1\"")
        .header("Cache-Control", "public, max-age=60");
  }

  private static Response show(Request request) {
    return Response.json(
        200,
        JsonObject.builder()
            .put("path", request.path())
            .put("method", request.method())
            .put("q", request.query("q").orElse("none"))
            .put("names", String.join(" ", request.queryNames()))
            .build());
  }

  private static Response form(Request request) {
    byte[] text = request.formField("a").orElse("none").getBytes(StandardCharsets.UTF_8);
    return Response.bytes(200, "text/plain", text);
  }

  private static Response stream() {
    return Response.stream(
        200,
        "text/plain",
        out -> {
          for (int i = 0; i < 3; i++) {
            out.write('a' + i);
            out.flush();
          }
        });
  }

  private static Response bug() {
    throw new IllegalStateException("a secret of dev.safeconduct");
  }

  private static Response noText() {
    return Response.json(200, new JsonString("\ud800")); // a lone surrogate has no UTF-8 form
  }

  private static Response claimed() {
    throw new Problem.Gone("This link was used.").toException();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void slashesCollapseAndATrailingOneIsForgiven() throws IOException {
    for (String path : List.of("//things", "/things/", "///things//", "http://x/things")) {
      Answer answer = server.get(path, TestServer.READER);
      assertThat(answer.status()).as(path).isEqualTo(200);
      assertThat(answer.json().string("path").orElseThrow()).as(path).startsWith("/things");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "?q=a%20b+c&z, 200, a b c, q z",
    "?, 200, none, ''",
    "?q=1&q=%31, 200, 1, q",
    "?q=1&q=2, 400, ,",
    "?q=&q=2, 400, ,",
    "?q=%C3%A9, 200, é, q",
    "?q=a|b[c], 200, a|b[c], q",
    "?q=%, 400, ,",
    "?q=%ff, 400, ,",
  })
  void queriesAreDecoded(String query, int status, String value, String names) throws IOException {
    Answer answer = server.get("/things" + query, TestServer.READER);
    assertThat(answer.status()).isEqualTo(status);
    if (status == 200) {
      assertThat(answer.json().string("q")).contains(value);
      assertThat(answer.json().string("names")).contains(names);
    } else {
      assertThat(answer.json().string("message").orElseThrow()).containsIgnoringCase("the query");
    }
  }

  @Test
  void headIsGetWithoutABody() throws IOException {
    Answer get = server.get("/policies/p.v1", "");
    Answer head = server.send("HEAD /policies/p.v1", "", "");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("Content-Length")).isEqualTo(get.header("Content-Length"));
    try (RawConnection connection = server.connect()) {
      connection.send(TestServer.request("HEAD /policies/p.v1", "", ""));
      assertThat(connection.answer(true).status()).isEqualTo(200);
      connection.send(TestServer.request("HEAD /nowhere", "", ""));
      assertThat(connection.answer(true).status()).isEqualTo(404);
      connection.send(TestServer.request("GET /policies/p.v1", "", ""));
      assertThat(connection.answer().text()).isEqualTo("{\"id\":\"p.v1\"}");
    }
  }

  @Test
  void aWrongMethodIs405WithAllow() throws IOException {
    assertThat(server.send("get /things", TestServer.READER, "").status()).isEqualTo(405);
    for (String method : List.of("DELETE", "PATCH", "TRACE", "BREW", "get")) {
      Answer answer = server.send(method + " /things", "", "");
      assertThat(answer.status()).as(method).isEqualTo(405);
      assertThat(answer.header("Allow")).contains("GET, HEAD, OPTIONS, POST");
      assertThat(answer.json().string("error")).contains("method_not_allowed");
      assertThat(answer.json().string("message").orElseThrow())
          .contains("does not support " + method);
    }
  }

  @Test
  void anUnknownPathIs404InTheErrorShape() throws IOException {
    Answer answer = server.get("/api/nowhere", "Accept: image/png\r\n");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text()).contains("\"reason\":\"endpoint_not_found\"");
    assertThat(answer.text()).contains("\"code\":\"oap.endpoint_not_found\"");
    assertThat(answer.json().has("allow")).isFalse();
  }

  @Test
  void pathsThatCannotBeDecodedAreJudgedHere() throws IOException {
    for (String path : List.of("/nowhere/%00", "/nowhere/%zz?q", "/%2e%2e/things")) {
      Answer answer = server.get(path, "");
      assertThat(answer.status()).as(path).isEqualTo(404);
      assertThat(path).startsWith(answer.json().string("path").orElseThrow());
    }
    assertThat(server.get("/policies/%ff", "").status()).isEqualTo(400);
  }

  @Test
  void anyAcceptIsServed() throws IOException {
    assertThat(server.get("/policies/p", "Accept: image/png\r\n").status()).isEqualTo(200);
    assertThat(server.get("/policies/p", "Accept: ,;q=x\r\n").status()).isEqualTo(200);
  }

  @Test
  void anUnchangedResourceIs304() throws IOException {
    assertThat(server.get("/policies/p", "If-None-Match: *\r\n").header("Content-Length"))
        .isEqualTo(server.get("/policies/p", "").header("Content-Length"));
    for (String tag : List.of("\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "*")) {
      Answer answer = server.get("/policies/p", "If-None-Match: " + tag + "\r\n");
      assertThat(answer.status()).as(tag).isEqualTo(304);
      assertThat(answer.header("ETag")).contains("\"v1\"");
      assertThat(answer.header("Cache-Control")).contains("public, max-age=60");
    }
    assertThat(server.get("/policies/p", "If-None-Match: \"v2\"\r\n").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"abc-1.2:x_Y, true", "a b, false", "ä, false", "a/b, false"})
  void theCallersRequestIdIsKeptIfItIsPlain(String id, boolean kept) throws IOException {
    String answered =
        server.get("/gone", "X-Request-Id: " + id + "\r\n").header("X-Request-Id").orElseThrow();
    assertThat(answered.equals(id)).isEqualTo(kept);
    assertThat(answered).matches(kept ? ".*" : "req_[0-9a-f]{32}");
  }

  @Test
  void requestIdsAreLimitedAndOurOwnNeverRepeat() throws IOException {
    String longest = "x".repeat(128);
    assertThat(server.get("/gone", "X-Request-Id: " + longest + "\r\n").header("X-Request-Id"))
        .contains(longest);
    assertThat(server.get("/gone", "X-Request-Id: x" + longest + "\r\n").header("X-Request-Id"))
        .isNotEqualTo(server.get("/gone", "").header("X-Request-Id"));
  }

  @Test
  void publicReadsAnswerAnyOriginAndTheRestOnlyListedOnes() throws IOException {
    assertThat(server.get("/policies/p", "Origin: https://evil.example\r\n"))
        .extracting(answer -> answer.header("Access-Control-Allow-Origin").orElse(""))
        .isEqualTo("*");
    assertThat(server.get("/claim/secret", "Origin: https://evil.example\r\n"))
        .as("a link with a secret is no public read")
        .extracting(answer -> answer.header("Access-Control-Allow-Origin").orElse(""))
        .isEqualTo("");
    Answer listed = server.get("/things", ORIGIN + TestServer.READER);
    assertThat(listed.header("Access-Control-Allow-Origin")).contains("https://app.example");
    assertThat(listed.header("Vary")).contains("Origin");
    assertThat(listed.header("Access-Control-Allow-Credentials")).isEmpty();
    assertThat(server.get("/things", ORIGIN).header("Access-Control-Allow-Origin"))
        .as("errors are readable too")
        .contains("https://app.example");
    Answer other = server.get("/things", "Origin: https://evil.example\r\n" + TestServer.READER);
    assertThat(other.header("Access-Control-Allow-Origin")).isEmpty();
  }

  @Test
  void optionsTellsTheMethodsAndPreflightsListedOrigins() throws IOException {
    Answer plain = server.send("OPTIONS /things", "", "");
    assertThat(plain.status()).isEqualTo(204);
    assertThat(plain.header("Allow")).contains("GET, HEAD, OPTIONS, POST");
    String asked = "Access-Control-Request-Method: POST\r\n";
    Answer preflight = server.send("OPTIONS /things", ORIGIN + asked, "");
    assertThat(preflight.header("Access-Control-Allow-Origin")).contains("https://app.example");
    assertThat(preflight.header("Access-Control-Allow-Methods").orElseThrow()).contains("POST");
    assertThat(preflight.header("Access-Control-Allow-Headers").orElseThrow())
        .contains("X-API-Key");
    Answer evil = server.send("OPTIONS /things", "Origin: https://evil.example\r\n" + asked, "");
    assertThat(evil.header("Access-Control-Allow-Methods")).isEmpty();
    assertThat(server.send("OPTIONS /nowhere", "", "").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/bug", "/no-text"})
  void aBugIsABare500(String path) throws IOException {
    Answer answer = server.get(path, "X-Request-Id: find-me\r\n");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.json().string("error")).contains("internal_server_error");
    assertThat(answer.text()).contains("find-me").doesNotContain("secret", "dev.safeconduct");
  }

  @Test
  void aClaimTokenIsNotRepeatedInErrors() throws IOException {
    Answer answer = server.get("/claim/super-secret-token", "");
    assertThat(answer.status()).isEqualTo(410);
    assertThat(answer.text()).doesNotContain("super-secret-token").contains("/claim/{token}");
    Answer shouted = server.get("/CLAIM/super-secret-token", "");
    assertThat(shouted.text()).doesNotContain("super-secret-token");
  }

  @Test
  void formsAreReadWhereARouteTakesThem() throws IOException {
    String type = "Content-Type: application/x-www-form-urlencoded\r\n";
    assertThat(server.post("/form", type, "b=1&a=x%26+y").text()).isEqualTo("x& y");
    assertThat(server.post("/form", TestServer.JSON, "{}").status()).isEqualTo(415);
  }

  @Test
  void aStreamIsSentInChunks() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(TestServer.request("GET /stream", "Connection: close\r\n", ""));
      assertThat(connection.rest())
          .containsIgnoringCase("transfer-encoding: chunked")
          .endsWith("0\r\n\r\n");
    }
  }

  @Test
  void a204HasNoBodyAndKeepsTheConnection() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(TestServer.request("GET /gone", "", ""));
      assertThat(connection.answer().status()).isEqualTo(204);
      connection.send(TestServer.request("GET /gone", "", ""));
      assertThat(connection.answer().status()).isEqualTo(204);
    }
  }

  @Test
  void verifyRoutesCarryServerTiming() throws IOException {
    assertThat(server.get("/limits", "").header("Server-Timing").orElseThrow())
        .matches("auth;dur=\\d+\\.\\d{3}");
    assertThat(server.get("/gone", "").header("Server-Timing")).isEmpty();
  }
}
