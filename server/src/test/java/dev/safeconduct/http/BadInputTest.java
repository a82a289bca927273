package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawConnection.Answer;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
  private static final String PASSPORTS = "/api/passports";
  private static final String VERIFY = "/api/verify/policy/p.v1";
  private static final String GOOD = TestServer.READER + TestServer.JSON;

  private final Endpoint echo = request -> Response.json(200, request.json());
  private TestServer server = new TestServer();

  @BeforeAll
  void start() {
    server.close();
    server =
        new TestServer(
            Route.post(PASSPORTS, Permission.scope(Scope.READ), echo),
            Route.post("/api/verify/policy/{policy_id}", Permission.scope(Scope.READ), echo)
                .large()
                .verify());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          not JSON            | hello                      | not valid JSON
          cut short           | {"a":                      | not valid JSON
          duplicate members   | {"a":1,"a":2}              | is a duplicate member
          NaN                 | {"a":NaN}                  | not valid JSON
          Infinity            | {"a":-Infinity}            | not valid JSON
          lone surrogate      | {"a":"\\ud800"}             | lone surrogate
          lone low surrogate  | {"a":"x\\udc00"}            | lone surrogate
          an array            | [1]                        | must be a JSON object
          a string            | "x"                        | must be a JSON object
          null                | null                       | must be a JSON object
          two documents       | {} {}                      | after the JSON document
          a comment           | {"a":1/*x*/}               | not valid JSON
          single quotes       | {'a':1}                    | not valid JSON
          """)
  void malformedJsonIs400(String about, String body, String message) throws IOException {
    for (String path : new String[] {PASSPORTS, VERIFY}) {
      Answer answer = server.post(path, GOOD, body);
      assertThat(answer.status()).as(about).isEqualTo(400);
      assertThat(answer.json().string("error")).as(about).contains("invalid_request");
      assertThat(answer.json().string("message").orElseThrow()).as(about).contains(message);
    }
  }

  @Test
  void aNumberNoDoubleHoldsIs400WhereItIsNotJudged() throws IOException {
    Answer answer = server.post(PASSPORTS, GOOD, "{\"a\":{\"b\":1e999}}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().string("message").orElseThrow()).contains("a.b is a number too large");
    assertThat(server.post(VERIFY, GOOD, "{\"a\":{\"b\":1e999}}").status()).isEqualTo(200);
  }

  @Test
  void depthThirtyTwoIsFineAndThirtyThreeIsNot() throws IOException {
    assertThat(server.post(PASSPORTS, GOOD, nested(32)).status()).isEqualTo(200);
    Answer answer = server.post(PASSPORTS, GOOD, nested(33));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().string("message").orElseThrow()).contains("32 levels");
  }

  @Test
  void anEmptyBodyIs400WithAPreciseMessage() throws IOException {
    Answer answer = server.post(PASSPORTS, GOOD, "");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().string("message")).contains("The body is empty; send a JSON object.");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/passports, 1048576, 200, 1048576",
    "/api/passports, 1048577, 413, 1048576",
    "/api/passports, 2097152, 413, 1048576",
    "/api/verify/policy/p.v1, 2097152, 200, 0",
    "/api/verify/policy/p.v1, 12582912, 200, 0",
    "/api/verify/policy/p.v1, 12582913, 413, 12582912",
    "/api/verify/policy/p.v1, 13631488, 413, 12582912",
  })
  void bodiesAreLimitedByRoute(String path, int size, int status, double limit) throws IOException {
    for (boolean chunked : new boolean[] {false, true}) {
      String body = sized(size);
      Answer answer;
      try (RawConnection connection = server.connect()) {
        answer =
            connection
                .send(
                    chunked ? chunked(path, body) : TestServer.request("POST " + path, GOOD, body))
                .answer();
      }
      assertThat(answer.status()).isEqualTo(status);
      if (status == 413) {
        JsonObject json = answer.json();
        assertThat(json.string("error")).contains("payload_too_large");
        assertThat(json.object("details").orElseThrow().get("limit_bytes"))
            .isEqualTo(new JsonNumber(limit));
        assertThat(json.get("allow")).isEqualTo(path.equals(VERIFY) ? JsonBoolean.FALSE : null);
        assertThat(answer.header("Connection")).contains("close");
      }
    }
  }

  @Test
  void aTooLongBodyIsRefusedBeforeItIsSent() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(
          "POST "
              + PASSPORTS
              + " HTTP/1.1\r\nHost: x\r\n"
              + GOOD
              + "Content-Length: 99999999\r\n\r\n");
      assertThat(connection.answer().status()).isEqualTo(413);
    }
  }

  @Test
  void theCredentialIsJudgedBeforeTheBody() throws IOException {
    String huge = "Content-Length: 99999999\r\n";
    try (RawConnection connection = server.connect()) {
      connection.send(
          "POST " + VERIFY + " HTTP/1.1\r\nHost: x\r\n" + TestServer.JSON + huge + "\r\n");
      assertThat(connection.answer().status()).isEqualTo(401);
    }
    try (RawConnection connection = server.connect()) {
      connection.send(
          "POST "
              + VERIFY
              + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
              + TestServer.JSON
              + "\r\n");
      assertThat(connection.answer().status()).isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          application/json                  | 200
          Application/JSON; charset=utf-8   | 200
          application/ld+json               | 200
          text/plain                        | 415
          application/x-www-form-urlencoded | 415
          application/jsonx                 | 415
          ''                                | 415
          """)
  void onlyJsonIsTaken(String type, int status) throws IOException {
    String header = type.isEmpty() ? "" : "Content-Type: " + type + "\r\n";
    Answer answer = server.post(PASSPORTS, TestServer.READER + header, "{}");
    assertThat(answer.status()).isEqualTo(status);
    if (status == 415) {
      assertThat(answer.json().string("error")).contains("unsupported_media_type");
    }
  }

  @Test
  void anErrorHasEveryMemberOfTheShape() throws IOException {
    Answer answer =
        server.post(VERIFY, TestServer.READER + TestServer.JSON + "X-Request-Id: mine-1\r\n", "[]");
    JsonObject json = answer.json();
    assertThat(json.names())
        .containsExactly(
            "ok",
            "error",
            "code",
            "message",
            "details",
            "reasons",
            "status_code",
            "path",
            "method",
            "request_id",
            "timestamp",
            "allow");
    assertThat(json.string("path")).contains(VERIFY);
    assertThat(json.string("method")).contains("POST");
    assertThat(json.string("request_id")).contains("mine-1");
    assertThat(json.string("timestamp")).contains("2026-11-21T09:00:00.000Z");
    assertThat(json.object("details")).contains(JsonObject.EMPTY);
    JsonArray reasons = json.array("reasons").orElseThrow();
    assertThat(((JsonObject) reasons.get(0)).string("code")).contains("oap.invalid_request");
    assertThat(answer.header("X-Request-Id")).contains("mine-1");
    assertThat(answer.header("Cache-Control")).contains("no-store");
    assertThat(answer.header("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.header("Content-Type")).contains("application/json");
    assertThat(answer.header("Server-Timing").orElseThrow()).matches("auth;dur=\\d+\\.\\d{3}");
  }

  @Test
  void theConnectionLivesOnAfterErrors() throws IOException {
    try (RawConnection connection = server.connect()) {
      connection.send(TestServer.request("POST " + PASSPORTS, GOOD, "nonsense"));
      assertThat(connection.answer().status()).isEqualTo(400);
      connection.send(TestServer.request("POST " + PASSPORTS, TestServer.JSON, "{\"a\":1}"));
      assertThat(connection.answer().status()).isEqualTo(401);
      connection.send(TestServer.request("POST /nowhere", GOOD, "{\"a\":2}"));
      assertThat(connection.answer().status()).isEqualTo(404);
      connection.send(TestServer.request("POST " + PASSPORTS, GOOD, "{\"a\":3}"));
      assertThat(connection.answer().text()).isEqualTo("{\"a\":3}");
    }
  }

  private static String nested(int levels) {
    return "{\"a\":".repeat(levels - 1) + "{}" + "}".repeat(levels - 1);
  }

  private static String sized(int size) {
    String frame = "{\"a\":\"\"}";
    return "{\"a\":\"" + "x".repeat(size - frame.length()) + "\"}";
  }

  private static String chunked(String path, String body) {
    var text = new StringBuilder(body.length() + 4096);
    text.append("POST ").append(path).append(" HTTP/1.1\r\nHost: x\r\n").append(GOOD);
    text.append("Transfer-Encoding: chunked\r\n\r\n");
    int step = 32 << 10;
    for (int from = 0; from < body.length(); from += step) {
      String part = body.substring(from, Math.min(body.length(), from + step));
      text.append(Integer.toHexString(part.length())).append("\r\n").append(part).append("\r\n");
    }
    return text.append("0\r\n\r\n").toString();
  }
}
