package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.error.Problem;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ProblemResponsesTest {
  private final ProblemResponses problems =
      new ProblemResponses(
          InstantSource.fixed(TestServer.NOW.plusNanos(7)), "https://pdp.example.com");

  static Stream<Arguments> everyProblem() {
    return Stream.of(
        face(new Problem.InvalidRequest("m", Optional.of("f")), 400, "invalid_request", "{}"),
        face(
            new Problem.InvalidScope("m", "admin", "scopes[0]"),
            400,
            "invalid_scope",
            "{\"scope\":\"admin\"}"),
        face(new Problem.Unauthorized("m"), 401, "unauthorized", "{}"),
        face(new Problem.Forbidden("m"), 403, "forbidden", "{}"),
        face(
            new Problem.NotFound("m", "passport_not_found", Map.of("agent_id", "ap_1")),
            404,
            "not_found",
            "{\"reason\":\"passport_not_found\",\"agent_id\":\"ap_1\"}"),
        face(
            new Problem.MethodNotAllowed("m", List.of("GET")),
            405,
            "method_not_allowed",
            "{\"allowed\":[\"GET\"]}"),
        face(
            new Problem.Conflict("m", "slug_taken"),
            409,
            "conflict",
            "{\"reason\":\"slug_taken\"}"),
        face(new Problem.Gone("m"), 410, "gone", "{}"),
        face(
            new Problem.PayloadTooLarge("m", 1048576),
            413,
            "payload_too_large",
            "{\"limit_bytes\":1048576}"),
        face(new Problem.UnsupportedMediaType("m"), 415, "unsupported_media_type", "{}"),
        face(
            new Problem.InvalidPolicy(
                "m",
                List.of(
                    PolicyFault.at("", "a"),
                    PolicyFault.at("evaluation_rules[0].condition", "b")
                        .of("size")
                        .at(3)
                        .suggesting("c"))),
            422,
            "invalid_policy",
            "{\"faults\":[{\"message\":\"a\"},{\"field\":\"evaluation_rules[0].condition\","
                + "\"rule\":\"size\",\"column\":3,\"message\":\"b\",\"suggestion\":\"c\"}]}"),
        face(new Problem.Misdirected("m", "us1"), 421, "misdirected_request", "{\"cell\":\"us1\"}"),
        face(new Problem.RateLimited("m", 9, Optional.empty()), 429, "rate_limited", "{}"),
        face(new Problem.Unavailable("m", 2), 503, "unavailable", "{}"));
  }

  @ParameterizedTest
  @MethodSource("everyProblem")
  void hasItsStatusCodeAndDetails(Problem problem, int status, String code, String details)
      throws JsonFault {
    Response response = problems.of(problem, occasion("/x", false));
    JsonObject body = Json.parseObject(response.body());
    assertThat(response.status()).isEqualTo(status);
    assertThat(body.string("error")).contains(code);
    assertThat(body.string("code")).contains(code);
    assertThat(body.object("details").map(JsonObject::toString)).contains(details);
    assertThat(body.string("timestamp")).contains("2026-11-21T09:00:00.000Z");
    assertThat(body.toString())
        .contains(
            "\"code\":\"oap."
                + (problem instanceof Problem.NotFound missing ? missing.reason() : code)
                + "\",\"message\":\"m\",\"severity\":\"error\"");
    assertThat(body.string("field").isPresent())
        .isEqualTo(
            problem instanceof Problem.InvalidRequest || problem instanceof Problem.InvalidScope);
    assertThat(body.has("allow")).isFalse();
    assertThat(response.header("Retry-After").isPresent())
        .isEqualTo(status == 429 || status == 503);
    assertThat(body.has("retry_after")).isEqualTo(status == 429 || status == 503);
    assertThat(body.has("retryAfter")).isEqualTo(status == 429);
    assertThat(response.header("WWW-Authenticate").isPresent()).isEqualTo(status == 401);
    assertThat(response.header("Allow").isPresent()).isEqualTo(status == 405);
  }

  @Test
  void verifyRoutesDenyAndClaimTokensAreMasked() throws JsonFault {
    Problem gone = new Problem.Gone("m");
    JsonObject body = Json.parseObject(problems.of(gone, occasion("/claim/abc", true)).body());
    assertThat(body.toString()).contains("\"allow\":false", "\"path\":\"/claim/{token}\"");
  }

  private static ProblemResponses.Occasion occasion(String path, boolean verifies) {
    return new ProblemResponses.Occasion("GET", path, "req_1", verifies, false);
  }

  private static Arguments face(Problem problem, int status, String code, String details) {
    return Arguments.of(problem, status, code, details);
  }
}
