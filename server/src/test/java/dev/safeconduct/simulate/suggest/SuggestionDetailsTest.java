package dev.safeconduct.simulate.suggest;

import static dev.safeconduct.simulate.suggest.SuggestTest.ask;
import static dev.safeconduct.simulate.suggest.SuggestTest.limits;
import static dev.safeconduct.simulate.suggest.SuggestTest.suggest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Evidence in less common forms, and what a suggestion says of it. */
final class SuggestionDetailsTest {
  static String issue(TestService service, String capabilities, String limits) {
    return Questions.issued(
        service,
        Calls.json(
            "{'name': 'Agent', 'capabilities': [%s], 'limits': {%s}}"
                .formatted(capabilities, limits)));
  }

  private static String runsCommands(TestService service, String allowed) {
    return issue(
        service,
        "'system.command.execute'",
        "'system.command.execute': {'allowed_commands': ['" + allowed + "']}");
  }

  /** A command is evidence under the other name that its pack gives it, too. */
  @Test
  void readsCommandsUnderTheirAlias() {
    try (TestService service = TestService.start()) {
      String apart = runsCommands(service, "git");
      ask(service, apart, "system.command.execute.v1", "'cmd': 'git', 'args': ['status']", true);
      String whole = runsCommands(service, "*");
      for (int i = 0; i < 4; i++) {
        ask(service, whole, "system.command.execute.v1", "'cmd': 'git status'", true);
      }
      for (String agent : List.of(apart, whole)) {
        assertThat(
                limits(suggest(service, agent), "system.command.execute").get("allowed_commands"))
            .isEqualTo(JsonArray.ofStrings(List.of("git status")));
      }
    }
  }

  private static String opensSessions(TestService service, String limits) {
    return issue(service, "'agent.session.create'", "'agent.session.create': {" + limits + "}");
  }

  /** A session without a duration would end sooner, and let another one in, with a lower limit. */
  @Test
  void keepsALimitThatIsTheLifetimeOfWhatACapCounts() {
    try (TestService service = TestService.start()) {
      String most = "'max_session_duration': 3600, 'max_sessions_per_day': 50, ";
      for (String cap : List.of("max_concurrent_sessions", "max_sessions_per_user")) {
        String agent = opensSessions(service, most + "'" + cap + "': 1");
        openSession(service, agent, ", 'requested_duration': 60");
        JsonObject suggestion = suggest(service, agent);
        assertThat(limits(suggestion, "agent.session.create").get("max_session_duration"))
            .isEqualTo(new JsonNumber(3600));
        JsonObject kept =
            explanation(suggestion, "limits.agent.session.create.max_session_duration");
        assertThat(kept.string("change")).contains("kept");
        assertThat(kept.string("why").orElseThrow()).contains("Less would allow more", cap);
      }
      String other =
          opensSessions(
              service, most + "'max_concurrent_sessions': 1, 'default_session_duration': 900");
      openSession(service, other, ", 'requested_duration': 60");
      assertThat(
              limits(suggest(service, other), "agent.session.create").get("max_session_duration"))
          .isEqualTo(new JsonNumber(60));
    }
  }

  private static void openSession(TestService service, String agent, String more) {
    ask(
        service,
        agent,
        "agent.session.create.v1",
        "'user_id': 'u', 'session_type': 'batch'" + more,
        true);
  }

  private static JsonObject explanation(JsonObject suggestion, String member) {
    return suggestion.array("explanations").orElseThrow().elements().stream()
        .map(JsonObject.class::cast)
        .filter(item -> item.string("member").equals(Optional.of(member)))
        .findFirst()
        .orElseThrow();
  }

  private static String fetches(TestService service) {
    return issue(
        service,
        "'web.fetch'",
        "'web.fetch': {'allowed_domains': ['a.example'], 'max_requests_per_min': 9}");
  }

  private static String reserve(TestService service, String agent) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/verify/policy/web.fetch.v1?reserve=true",
                Calls.json(
                    "{'context': {'agent_id': '" + agent + "', 'url': 'https://a.example/'}}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.string("reservation_id");
  }

  private static void release(TestService service, String reservation) {
    Reply released = service.owner().post("/api/usage/" + reservation + "/release", "{}");
    assertThat(released.status()).as(released.toString()).isEqualTo(200);
  }

  /** What is given back was held until then, and is not held after it. */
  @Test
  void countsReservationsUntilTheirRelease() {
    var clock = new MovableClock();
    try (TestService service = TestService.start(Map.of(), clock)) {
      String agent = fetches(service);
      List<String> held = Stream.generate(() -> reserve(service, agent)).limit(3).toList();
      ask(service, agent, "web.fetch.v1", "'url': 'https://a.example/'", true);
      clock.advance(Duration.ofSeconds(1));
      held.forEach(reservation -> release(service, reservation));
      for (int i = 0; i < 2; i++) {
        clock.advance(Duration.ofSeconds(1));
        ask(service, agent, "web.fetch.v1", "'url': 'https://a.example/'", true);
      }
      JsonObject suggestion = suggest(service, agent);
      assertThat(limits(suggestion, "web.fetch").get("max_requests_per_min"))
          .isEqualTo(new JsonNumber(4));
      assertThat(Json.text(suggestion.object("replayed").orElseThrow()))
          .isEqualTo("{\"decisions\":6,\"newly_denied\":[]}");
    }
  }

  /** Returns an agent with one charge. */
  private static String charges(TestService service, String limits) {
    String agent = issue(service, "'payments.charge', 'payments.payout'", limits);
    Questions.assure(service, agent, "L3");
    charge(service, agent);
    return agent;
  }

  private static void charge(TestService service, String agent) {
    ask(
        service,
        agent,
        "finance.payment.charge.v1",
        "'amount': 100, 'currency': 'EUR', 'merchant_id': 'm', 'region': 'DE',"
            + " 'items': [{'sku': 'a', 'qty': 1}], 'idempotency_key': 'key-of-100'",
        true);
  }

  /** What only payouts know is refused among the limits of charges. */
  @Test
  void keepsFlatLimitsOfSeveralPacks() {
    try (TestService service = TestService.start()) {
      for (String more : List.of("", ", 'max_daily_amount': 90000")) {
        String agent =
            charges(
                service,
                "'max_items_per_tx': 9, 'currency_limits': {'EUR': {'max_per_tx': 9000"
                    + more
                    + "}}");
        JsonObject suggestion = suggest(service, agent);
        Reply applied =
            service
                .owner()
                .patch(
                    "/api/passports/" + agent,
                    Json.text(suggestion.only(List.of("capabilities", "limits"))));
        assertThat(applied.status()).as(applied.toString()).isEqualTo(200);
        JsonObject one = explanation(suggestion, "limits.payments.charge.max_items_per_tx");
        assertThat(one.string("change")).contains(more.isEmpty() ? "narrowed" : "kept");
        assertThat(one.string("why").orElseThrow().contains("outside a capability's container"))
            .isEqualTo(!more.isEmpty());
      }
    }
  }

  /** A list stays, with its own reason, if no context had what it is about. */
  @Test
  void saysThatAListWasNotUsed() {
    try (TestService service = TestService.start()) {
      String agent =
          charges(
              service,
              "'payments.charge': {'currency_limits': {'EUR': {'max_per_tx': 900}},"
                  + " 'allowed_countries': ['DE']}");
      JsonObject kept =
          explanation(suggest(service, agent), "limits.payments.charge.allowed_countries");
      assertThat(kept.string("why")).contains("Nothing that was allowed used it.");
      assertThat(Questions.number(kept, "seen")).isZero();
    }
  }

  /** Sessions with and without a duration have counters of their own for one cap. */
  @Test
  void countsAnActionOnceForACap() {
    try (TestService service = TestService.start()) {
      String agent = opensSessions(service, "'max_sessions_per_user': 5");
      String member = "limits.agent.session.create.max_sessions_per_user";
      openSession(service, agent, "");
      JsonObject once = explanation(suggest(service, agent), member);
      assertThat(Questions.number(once, "seen")).isEqualTo(1);
      assertThat(once.string("why")).contains("Seen once.");
      openSession(service, agent, "");
      JsonObject twice = explanation(suggest(service, agent), member);
      assertThat(Questions.number(twice, "seen")).isEqualTo(2);
      assertThat(twice.string("why").orElseThrow()).startsWith("The maximum of 2 decisions;");
    }
  }

  /** A template is used by its instances, before the period, too. */
  @Test
  void theLastUseOfAnInstanceIsThatOfItsTemplate() {
    var clock = new MovableClock();
    try (TestService service = TestService.start(Map.of(), clock)) {
      String template =
          issue(
              service,
              "'system.command.execute', 'web.fetch'",
              "'system.command.execute': {'allowed_commands': ['git']},"
                  + " 'web.fetch': {'allowed_domains': ['*']}");
      Reply made =
          service
              .owner()
              .post(
                  "/api/passports/" + template + "/instances",
                  Calls.json("{'tenant_ref': 'one', 'platform_id': 'p'}"));
      String used = IsoInstant.millis(clock.instant());
      ask(
          service,
          made.string("agent_id"),
          "system.command.execute.v1",
          "'command': 'git status'",
          true);
      clock.advance(Duration.ofDays(40));
      ask(service, template, "web.fetch.v1", "'url': 'https://a.example/'", true);
      assertThat(
              explanation(suggest(service, template), "capabilities.system.command.execute")
                  .string("last_use"))
          .contains(used);
    }
  }

  @Test
  void dryRunsAndObserveModeAreNoUse() {
    var clock = new MovableClock();
    try (TestService service = TestService.start(Map.of(), clock)) {
      String agent =
          issue(
              service,
              "'web.fetch', 'data.file.read', 'system.command.execute'",
              "'web.fetch': {'allowed_domains': ['*']}, 'data.file.read': {'allowed_paths':"
                  + " ['/srv']}, 'system.command.execute': {'allowed_commands': ['git']}");
      String used = IsoInstant.millis(clock.instant());
      ask(service, agent, "data.file.read.v1", "'file_path': '/srv/a'", true);
      clock.advance(Duration.ofHours(1));
      String from = IsoInstant.millis(clock.instant());
      ask(service, agent, "data.file.read.v1?dry_run=true", "'file_path': '/srv/a'", true);
      Reply observe =
          service
              .admin()
              .put(
                  "/api/passports/" + agent + "/mode",
                  Json.text(Calls.json("{'mode': 'observe', 'reason': 'a trial', 'days': 1}")));
      assertThat(observe.status()).as(observe.toString()).isEqualTo(200);
      ask(service, agent, "system.command.execute.v1", "'command': 'ls'", true);
      ask(service, agent, "web.fetch.v1", "'url': 'https://a.example/'", true);
      Reply reply =
          service
              .owner()
              .post("/api/passports/" + agent + "/suggest", Calls.json("{'from': '" + from + "'}"));
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      assertThat(explanation(reply.json(), "capabilities.data.file.read").string("last_use"))
          .contains(used);
      assertThat(
              explanation(reply.json(), "capabilities.system.command.execute").string("last_use"))
          .isEmpty();
    }
  }

  /** Where evidence is missing the present limit stays, and the suggestion says why. */
  @Test
  void saysWhereEvidenceIsMissing() {
    try (TestService service = TestService.start()) {
      String writer =
          issue(
              service,
              "'data.file.write', 'system.command.execute'",
              """
              'data.file.write': {'allowed_paths': ['/srv'], 'max_file_size_mb': 9},
              'system.command.execute': {'allowed_commands': ['git'], 'allowed_paths': ['/srv'],
                                         'max_execution_time': 300}
              """);
      ask(service, writer, "data.file.write.v1", "'file_path': '/srv/a', 'content': 'x'", true);
      ask(service, writer, "system.command.execute.v1", "'command': 'git status'", true);
      JsonObject suggestion = suggest(service, writer);
      Map.of(
              "data.file.write.max_file_size_mb", "Suggestions do not read",
              "system.command.execute.allowed_paths", "Suggestions do not read",
              "system.command.execute.max_execution_time", "Nothing that was allowed used it.")
          .forEach((member, why) -> {
            JsonObject kept = explanation(suggestion, "limits." + member);
            assertThat(kept.string("change")).as(member).contains("kept");
            assertThat(kept.string("why").orElseThrow()).as(member).startsWith(why);
          });
    }
  }

  /** Each example is allowed at present, and denied after the suggestion is applied. */
  @Test
  void namesWhatItNewlyForbids() {
    try (TestService service = TestService.start()) {
      String agent =
          issue(
              service,
              "'data.file.read', 'system.command.execute', 'web.fetch', 'payments.charge'",
              """
              'data.file.read': {'allowed_paths': ['/srv'], 'max_file_size_mb': 9,
                                 'allowed_extensions': ['.txt', '.md']},
              'system.command.execute': {'allowed_commands': ['git', 'rm'],
                                         'max_execution_time': 300},
              'web.fetch': {'allowed_domains': ['*.example']},
              'payments.charge': {'currency_limits': {'EUR': {'max_per_tx': 900},
                                                      'USD': {'max_per_tx': 900}}}
              """);
      Questions.assure(service, agent, "L3");
      ask(
          service,
          agent,
          "data.file.read.v1",
          "'file_path': '/srv/a/b.txt', 'file_size_mb': 1",
          true);
      ask(
          service,
          agent,
          "system.command.execute.v1",
          "'command': 'git status', 'timeout': 20",
          true);
      ask(service, agent, "web.fetch.v1", "'url': 'https://a.example/x'", true);
      charge(service, agent);
      JsonObject suggestion = suggest(service, agent);
      Map.of(
              "data.file.read.allowed_paths", "{'file_path': '/srv/other.txt'}",
              "data.file.read.allowed_extensions", "{'file_path': '/srv/a/other.md'}",
              "data.file.read.max_file_size_mb", "{'file_size_mb': 9}",
              "system.command.execute.allowed_commands", "{'command': 'git'}",
              "system.command.execute.max_execution_time", "{'timeout': 300}",
              "web.fetch.allowed_domains", "{'url': 'https://other.example/'}",
              "payments.charge.currency_limits", "{'amount': 900}")
          .forEach((member, forbids) ->
              assertThat(explanation(suggestion, "limits." + member).get("forbids"))
                  .as(member)
                  .isEqualTo(Calls.json(forbids)));
    }
  }

  /** What the passport no longer allows is no evidence, but there were decisions. */
  @Test
  void leavesOutWhatThePresentPassportDenies() {
    try (TestService service = TestService.start()) {
      String agent = runsCommands(service, "git");
      ask(service, agent, "system.command.execute.v1", "'command': 'git status'", true);
      Reply changed =
          service
              .owner()
              .patch(
                  "/api/passports/" + agent,
                  Json.text(
                      Calls.json(
                          "{'limits': {'system.command.execute': {'allowed_commands': ['ls']}}}")));
      assertThat(changed.status()).as(changed.toString()).isEqualTo(200);
      assertThat(Json.text(suggest(service, agent).array("explanations").orElseThrow()))
          .contains("Decisions that the present passport denies are left out.")
          .doesNotContain("The period has no decision");
    }
  }
}
