package dev.safeconduct.authzen;

import static dev.safeconduct.testkit.Records.ALICE_READS;
import static dev.safeconduct.testkit.Records.EVALUATION;
import static dev.safeconduct.testkit.Records.EVALUATIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTPS binding of the AuthZEN API (its section 10). */
final class AuthzenTransportTest {
  private static final List<String> PATHS =
      List.of(
          EVALUATION,
          EVALUATIONS,
          "/access/v1/search/subject",
          "/access/v1/search/resource",
          "/access/v1/search/action");

  @AutoClose private static final TestService service = TestService.start();

  @BeforeAll
  static void start() {
    Records.setUp(service, service.org());
  }

  @ParameterizedTest
  @ValueSource(strings = {"bfe9eb29-ab87-4ca3-be83-a1d5d8305716", "any text, <really>; = ~", "x"})
  void theRequestIdComesBackAsItWasSent(String id) {
    for (String path : PATHS) {
      for (String body : List.of(ALICE_READS, "{}", "not json")) {
        assertThat(
                service
                    .owner()
                    .with("X-Request-ID", id)
                    .post(path, body)
                    .headers()
                    .allValues("X-Request-ID"))
            .containsExactly(id);
      }
    }
    assertThat(
            service
                .nobody()
                .with("X-Request-ID", id)
                .post(EVALUATION, ALICE_READS)
                .headers()
                .allValues("X-Request-ID"))
        .containsExactly(id);
    assertThat(service.owner().post(EVALUATION, ALICE_READS).header("X-Request-ID")).isPresent();
  }

  @Test
  void theTransportIsThatOfSection10() {
    for (String path : PATHS) {
      Calls owner = service.owner();
      String whole =
          "{'subject': {'type': 'user', 'id': 'alice'}, 'action': {'name': 'read'},"
              + " 'resource': {'type': 'record', 'id': 'record-1'}}";
      JsonObject body = Calls.json(whole);
      assertThat(owner.post(path, body).status()).isEqualTo(200);
      Calls charset = owner.with("Content-Type", "application/json; charset=UTF-8");
      assertThat(charset.post(path, body).status()).isEqualTo(200);
      for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "x")) {
        assertThat(owner.with("Content-Type", type).post(path, body).status()).isEqualTo(400);
      }
      for (String raw :
          List.of(
              "{\"subject\": ",
              "[]",
              "[{}]",
              "7",
              "\"x\"",
              "null",
              " ",
              "{} {}",
              "{\"subject\": {}, \"subject\": {}}")) {
        assertThat(owner.post(path, raw).status()).as(raw).isEqualTo(400);
      }
      assertThat(owner.send("POST", path, "").status()).isEqualTo(400);
      for (String method : List.of("GET", "PUT", "DELETE", "PATCH")) {
        Reply refused = owner.send(method, path, method.equals("PUT") ? "{}" : "");
        assertThat(refused.status()).isEqualTo(405);
        assertThat(refused.header("Allow").orElseThrow()).contains("POST");
      }
      for (Calls stranger :
          List.of(
              service.nobody(),
              service.withKey("sck_wrong"),
              service.nobody().with("Authorization", "Bearer wrong"))) {
        Reply refused = stranger.post(path, body);
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.header("WWW-Authenticate")).isPresent();
      }
      assertThat(
              service
                  .nobody()
                  .with("Authorization", "Bearer " + service.key())
                  .post(path, body)
                  .status())
          .isEqualTo(200);
    }
  }
}
