package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Batches.BATCH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Batches;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a batch is to different callers, and to those who may ask only so often. */
final class BatchCallersTest {
  @AutoClose
  private static final TestService service = TestService.start(Map.of("ANONYMOUS_VERIFY", "true"));

  private static Calls setupKey(String agent) {
    Reply key = service.admin().post("/api/passports/" + agent + "/setup-key", "{}");
    return service.withKey(key.string("key"));
  }

  @Test
  void aSetupKeySpeaksForItsAgentInEach() {
    String agent = Questions.hosted(service, 9);
    String other = Questions.hosted(service, 9);
    JsonObject unnamed =
        Batches.of("system.command.execute.v1", Calls.json("{'context': {'command': 'ls'}}"));
    List<JsonObject> answers =
        Batches.ask(
            setupKey(agent),
            Batches.command(agent, "ls"),
            Batches.command(other, "ls"),
            unnamed,
            Batches.message(other),
            Batches.message(agent));
    assertThat(Batches.outcomes(answers))
        .containsExactly("oap.allowed", "404", "oap.allowed", "404", "oap.allowed");
    assertThat(answers.get(2).string("agent_id")).contains(agent);
  }

  @ParameterizedTest
  @ValueSource(strings = {"passport", "policy"})
  void aSetupKeyBringsNothingOfItsOwn(String member) {
    String agent = Questions.hosted(service, 9);
    long before = Questions.newestRecord(service);
    Reply reply =
        setupKey(agent)
            .post(
                BATCH,
                Batches.of(
                    Batches.message(agent),
                    Batches.command(agent, "ls").with(member, Calls.json("{'id': 'x'}"))));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(403);
    assertThat(reply.text()).contains("evaluations[1]." + member, "\"allow\":false");
    // The key that was made is the only record.
    assertThat(Questions.newestRecord(service)).isEqualTo(before + 1);
  }

  @Test
  void agentsOfAnotherOrganizationAreNotKnown() {
    var tenant = Questions.Tenant.made(service, "Stranger", "'read'");
    String theirs =
        Questions.hosted(service, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
    String ours = Questions.hosted(service, 9);
    JsonObject[] both = {Batches.command(ours, "ls"), Batches.command(theirs, "ls")};
    assertThat(Batches.outcomes(Batches.ask(service.owner(), both)))
        .containsExactly("oap.allowed", "404");
    assertThat(Batches.outcomes(Batches.ask(service.withKey(tenant.key()), both)))
        .containsExactly("404", "oap.allowed");
    // A passport that is sent along does not vouch for an agent of somebody else.
    JsonObject vouched =
        Batches.command(theirs, "ls").with("passport", Questions.passport(theirs, 9));
    assertThat(Batches.outcomes(Batches.ask(service.owner(), vouched))).containsExactly("404");
  }

  @Test
  void theOperatorSaysForWhomInTheQueryOrInEach() {
    var tenant = Questions.Tenant.made(service, "Asked for", "'read'");
    JsonObject mine =
        Batches.command("ap_mine", "git").with("passport", Questions.passport("ap_mine", 5));
    JsonObject named = mine.with("org_id", new JsonString(tenant.org()));
    JsonObject nobodys = mine.with("org_id", new JsonString("org_nobody"));
    List<JsonObject> answers = Batches.ask(service.admin(), mine, named, nobodys);
    assertThat(answers.get(0).string("owner_id")).contains(service.org());
    assertThat(answers.get(1).string("owner_id")).contains(tenant.org());
    assertThat(Batches.outcome(answers.get(2))).isEqualTo("404");
    Reply byQuery = service.admin().post(BATCH + "?org_id=" + tenant.org(), Batches.of(mine));
    assertThat(Batches.decisions(byQuery).getFirst().string("owner_id")).contains(tenant.org());
  }

  /** Also where anybody may ask for one. */
  @Test
  void nobodyAsksForMany() {
    String agent = Questions.hosted(service, 9);
    assertThat(service.nobody().post(BATCH, Batches.of(Batches.message(agent))).status())
        .isEqualTo(401);
  }

  @Test
  void anErrorInItsPlaceHasTheFormThatWasAskedFor() {
    JsonObject error =
        Batches.decisions(
                service
                    .owner()
                    .with("Accept", "application/problem+json")
                    .with("X-Request-Id", "batch-1")
                    .post(BATCH, Batches.of(Batches.message("ap_unknown"))))
            .getFirst()
            .object("error")
            .orElseThrow();
    assertThat(error.string("title")).contains("Not found");
    assertThat(error.string("path")).contains(BATCH);
    assertThat(error.string("request_id")).contains("batch-1");
  }

  /** The decisions of the others stand and were charged, so they must be told. */
  @Test
  void aFaultOfOursInOneLeavesTheOthersAlone() {
    var faults = new AtomicInteger();
    InstantSource failing =
        () -> {
          if (faults.get() > 0 && judging() && faults.getAndDecrement() > 0) {
            throw new IllegalStateException("a clock of the tests that fails");
          }
          return Instant.parse("2026-11-21T09:00:00Z");
        };
    try (TestService broken = TestService.start(Map.of(), failing)) {
      String agent = Questions.hosted(broken, 9);
      faults.set(1);
      List<JsonObject> answers =
          Batches.ask(broken.owner(), Batches.message(agent), Batches.message(agent));
      assertThat(Batches.outcomes(answers)).containsExactly("500", "oap.allowed");
      assertThat(answers.getFirst().toString())
          .contains("internal_server_error")
          .doesNotContain("clock", "Exception");
    }
  }

  private static boolean judging() {
    return StackWalker.getInstance()
        .walk(frames ->
            frames.anyMatch(frame -> frame.getClassName().endsWith(".verify.VerifyAction")));
  }

  @ParameterizedTest
  @EnumSource
  void eachCountsForTheRateLimitAndAllAreJudgedOrNone(EachStore store) {
    var settings = new HashMap<String, String>();
    settings.put("RATE_VERIFY_PER_KEY_PER_MINUTE", "10");
    settings.put("RATE_VERIFY_PER_ORG_PER_MINUTE", "15");
    var clock = new MovableClock();
    try (TestService limited = store.start(settings, clock)) {
      String agent = Questions.hosted(limited, 100);
      Calls owner = limited.owner();
      JsonObject six = Batches.of(Collections.nCopies(6, Batches.message(agent)));
      Reply first = owner.post(BATCH, six);
      assertThat(Batches.outcomes(Batches.decisions(first))).containsOnly("oap.allowed");
      assertThat(first.header("RateLimit"))
          .contains("\"verify-key\";r=4;t=36, \"verify-org\";r=9;t=24");

      long before = Questions.newestRecord(limited);
      Reply refused = owner.post(BATCH, six);
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.text()).contains("\"allow\":false");
      assertThat(Questions.newestRecord(limited)).as("nothing was judged").isEqualTo(before);
      // The request itself has taken one of four; of the other five it takes none.
      assertThat(refused.header("RateLimit"))
          .contains("\"verify-key\";r=3;t=18, \"verify-org\";r=8;t=28");

      // Whoever waits as long as they are told gets through.
      assertThat(refused.header("Retry-After")).contains("18");
      clock.advance(Duration.ofSeconds(18));
      assertThat(Batches.decisions(owner.post(BATCH, six))).hasSize(6);

      clock.advance(Duration.ofMinutes(2));
      Reply never = owner.post(BATCH, Batches.of(Collections.nCopies(11, Batches.message(agent))));
      assertThat(never.status()).isEqualTo(400);
      assertThat(never.string("message")).contains("11 decisions", "10 are allowed in 60 s");
      clock.advance(Duration.ofMinutes(2));
      assertThat(
              Batches.decisions(
                  owner.post(BATCH, Batches.of(Collections.nCopies(10, Batches.message(agent))))))
          .hasSize(10);
    }
  }

  @Test
  void evaluationsByAuthzenCountEachAsWell() {
    try (TestService limited =
        TestService.start(Map.of("RATE_VERIFY_PER_KEY_PER_MINUTE", "5"), new MovableClock())) {
      String agent = Questions.hosted(limited, 100);
      JsonObject three =
          Calls.json(
              """
              {'subject': {'type': 'agent', 'id': '%s'},
               'action': {'name': 'system.command.execute.v1'},
               'resource': {'type': 'command', 'id': 'c'}, 'context': {'command': 'ls'},
               'evaluations': [{}, {}, {}]}
              """
                  .formatted(agent));
      Reply first = limited.owner().post("/access/v1/evaluations", three);
      assertThat(first.status()).as(first.toString()).isEqualTo(200);
      assertThat(first.header("X-RateLimit-Remaining")).contains("2");
      assertThat(limited.owner().post("/access/v1/evaluations", three).status()).isEqualTo(429);
    }
  }
}
