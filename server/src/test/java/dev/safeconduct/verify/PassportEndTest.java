package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing that rests on a passport outlives it. */
@Tag("attack")
final class PassportEndTest {
  private static final String READ = "/api/verify/policy/data.file.read.v1";
  private static final String TOKEN = "/api/verify/token/data.file.read.v1";

  private static final MovableClock CLOCK = new MovableClock();

  @AutoClose private static final EachStore.Services services = new EachStore.Services(CLOCK);

  /** Hosts a passport that expires after so many milliseconds. */
  private static String hosted(TestService service, long millis) {
    JsonObject passport =
        Calls.json(
            """
            {'name': 'Short', 'capabilities': ['data.file.read'], 'expires_at': '%s',
             'limits': {'data.file.read': {'allowed_paths': ['*']}}}
            """
                .formatted(CLOCK.instant().plusMillis(millis)));
    return Questions.hosted(service, service.org(), passport);
  }

  private static JsonObject question(String agent) {
    return Calls.json("{'context': {'agent_id': '%s', 'file_path': '/srv/a'}}".formatted(agent));
  }

  @ParameterizedTest
  @EnumSource
  void aReplayIsDecidedAnew(EachStore store) {
    TestService service = services.on(store);
    String agent = hosted(service, 4_000);
    Calls keyed = service.owner().with("Idempotency-Key", "expiry-" + store);
    assertThat(Questions.code(keyed.post(READ, question(agent)))).isEqualTo("oap.allowed");
    assertThat(keyed.post(READ, question(agent)).header("Idempotent-Replayed")).contains("true");
    CLOCK.advance(Duration.ofSeconds(5));
    Reply late = keyed.post(READ, question(agent));
    assertThat(late.header("Idempotent-Replayed")).isEmpty();
    assertThat(Questions.code(late)).isEqualTo("oap.passport_expired");
    assertThat(keyed.post(READ, question(agent)).header("Idempotent-Replayed")).contains("true");
  }

  @ParameterizedTest
  @EnumSource
  void noDecisionAndNoTokenLivesLonger(EachStore store) {
    TestService service = services.on(store);
    String agent = hosted(service, 4_500);
    Reply made = service.owner().post(TOKEN, question(agent));
    JsonObject decision = made.json().object("decision").orElseThrow();
    assertThat(Questions.number(decision, "expires_in")).isEqualTo(4);
    String token = made.string("token");
    assertThat(Questions.verdict(service, token)).isEqualTo("valid");
    CLOCK.advance(Duration.ofSeconds(4));
    assertThat(service.owner().post(TOKEN, question(agent)).string("reason")).isEqualTo("expired");
    CLOCK.advance(Duration.ofMillis(500));
    assertThat(Questions.verdict(service, token)).isEqualTo("expired");
  }

  @ParameterizedTest
  @EnumSource
  void anInstanceEndsWithItsTemplate(EachStore store) {
    TestService service = services.on(store);
    String template = hosted(service, 60_000);
    Reply made =
        service
            .owner()
            .post("/api/passports/" + template + "/instances", Calls.json("{'name': 'Instance'}"));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    String end = "{\"expires_at\": \"%s\"}".formatted(CLOCK.instant().plusMillis(4_500));
    Reply ended = service.admin().patch("/api/passports/" + template, end);
    assertThat(ended.status()).as(ended.toString()).isEqualTo(200);
    JsonObject answer = service.owner().post(TOKEN, question(made.string("agent_id"))).json();
    assertThat(Questions.number(answer.object("decision").orElseThrow(), "expires_in"))
        .isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void everyoneSeesTheEnd(EachStore store) {
    TestService service = services.on(store);
    String agent = hosted(service, 1_000);
    Calls nobody = service.nobody();
    Reply view = nobody.get("/api/verify/" + agent);
    assertThat(view.json().isTrue("expired")).isFalse();
    assertThat(view.json().has("expires_at")).isTrue();
    CLOCK.advance(Duration.ofSeconds(1));
    Reply late =
        nobody.with("If-None-Match", view.header("ETag").orElseThrow()).get("/api/verify/" + agent);
    assertThat(late.status()).isEqualTo(200);
    assertThat(late.json().isTrue("expired")).isTrue();
    assertThat(nobody.get("/api/verify-compact?agent_id=" + agent).json().isTrue("expired"))
        .isTrue();
    assertThat(nobody.get("/badge/" + agent + ".svg").text()).contains("expired");
  }
}
