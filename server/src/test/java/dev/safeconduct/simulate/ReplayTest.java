package dev.safeconduct.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A candidate is judged by what has happened, while the service goes on. */
final class ReplayTest {
  private static final String ID = "acme.moves.v1";

  @TempDir private Path folder;

  private Map<String, String> settings(boolean postgres) {
    var settings = new HashMap<String, String>();
    settings.put("DATA_DIR", folder.resolve("data").toString());
    if (postgres) {
      settings.putAll(EachStore.POSTGRES.settings());
    }
    return settings;
  }

  /** What the command said, as objects. */
  private record Ran(int status, List<JsonObject> lines, String text) {
    List<String> results() {
      return lines.stream()
          .map(line ->
              line.string("result").orElseThrow()
                  + line.string("rule").or(() -> line.string("why")).map(w -> " " + w).orElse(""))
          .toList();
    }
  }

  private Ran replay(Map<String, String> settings, JsonObject candidate, String... more)
      throws IOException, JsonFault {
    Path pack = Files.writeString(folder.resolve("candidate.json"), Json.text(candidate));
    var arguments = new ArrayList<>(List.of("--pack", pack.toString(), "--from", "2026-01-01"));
    arguments.addAll(List.of(more));
    CommandRun command = CommandRun.replay(settings, arguments.toArray(String[]::new));
    assertThat(command.err()).isEmpty();
    var lines = new ArrayList<JsonObject>();
    if (arguments.contains("--ndjson")) {
      for (String line : command.out().lines().toList()) {
        lines.add(Json.parseObject(line.getBytes(StandardCharsets.UTF_8)));
      }
    }
    return new Ran(command.status(), lines, command.out());
  }

  private static Reply ask(TestService service, String agent, String rest) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/verify/policy/" + ID,
                Calls.json("{'context': {'agent_id': '" + agent + "', " + rest + "}}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void listsWhatWouldFlipAndWhatCannotBeSaid(boolean postgres) throws Exception {
    Map<String, String> settings = settings(postgres);
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String packs = "/api/orgs/" + service.org() + "/policies";
      JsonObject active = StockPack.pack(ID, 10);
      service.admin().post(packs, active);
      service.admin().post(packs + "/" + ID + "/activate", "");
      String agent = StockPack.agent(service);
      ask(service, agent, "'items': 3");
      ask(service, agent, "'items': 7");
      ask(service, agent, "'items': 12");
      ask(service, agent, "'items': 4, 'note': 'password=hunter2-hunter2'");
      service
          .owner()
          .post(
              "/api/verify/policy/" + ID + "?dry_run=true",
              Calls.json("{'context': {'agent_id': '" + agent + "', 'items': 7}}"));
      // Judged by a passport that is another one now.
      service
          .owner()
          .patch(
              "/api/passports/" + agent,
              "{\"limits\": {\"acme.stock.move\": {\"max_items\": 1}}, \"role\": \"clerk\"}");
      ask(service, agent, "'items': 9");

      Ran same = replay(settings, active, "--ndjson");
      assertThat(same.status()).isZero();
      assertThat(same.results()).isEmpty();

      // The note is described by nobody and read by nobody, so its redaction does not matter.
      Ran stricter = replay(settings, StockPack.pack(ID, 5), "--ndjson");
      assertThat(stricter.status()).isEqualTo(1);
      assertThat(stricter.results()).containsExactly("would_deny own_cap");

      Ran wider = replay(settings, StockPack.pack(ID, 40), "--ndjson");
      assertThat(wider.results()).containsExactly("would_allow");

      String curious =
          Json.text(StockPack.pack(ID, 10))
              .replace(
                  "\"properties\":{",
                  "\"properties\":{\"note\":{\"type\":\"string\",\"maxLength\":100},");
      Ran reads = replay(settings, object(curious), "--ndjson");
      assertThat(reads.status()).isZero();
      assertThat(reads.results())
          .containsExactly("unknown redaction touched context.note, which the pack reads");

      String personal =
          Json.text(StockPack.pack(ID, 10))
              .replace("context.items <= 10", "passport.metadata.team !== 'x'");
      Ran needsMore = replay(settings, object(personal), "--ndjson");
      assertThat(needsMore.results())
          .containsExactly(
              "unknown the passport has changed since, and the pack reads its member metadata",
              "unknown the passport has changed since, and the pack reads its member metadata",
              "unknown the passport has changed since, and the pack reads its member metadata",
              "unknown the passport has changed since, and the pack reads its member metadata");

      Ran words = replay(settings, StockPack.pack(ID, 5), "--org", service.org());
      assertThat(words.text())
          .contains("oap.allowed -> oap.limit_exceeded by own_cap: Too many for us.")
          .contains("5 decisions by " + ID)
          .contains("  4 the same, of them 0 for another reason")
          .contains("  1 allows would be denies");
      String other = service.admin().post("/api/orgs", "{\"name\": \"Quiet\"}").string("org_id");
      assertThat(replay(settings, StockPack.pack(ID, 5), "--org", other).text())
          .contains("0 decisions");
      CommandRun mistyped =
          CommandRun.replay(
              settings,
              "--pack=" + folder.resolve("candidate.json"),
              "--from=2026-01-01",
              "--org=org_other");
      assertThat(mistyped.status()).isEqualTo(2);
      assertThat(mistyped.err()).contains("The log has no organization org_other.");
      assertThat(
              replay(settings, StockPack.pack("acme.next.v1", 5), "--policy", ID, "--ndjson")
                  .results())
          .containsExactly("would_deny own_cap");
    }
  }

  /** The candidate counts for itself: what it allows, and nothing else. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void countsAsTheCandidateWouldHave(boolean postgres) throws Exception {
    Map<String, String> settings = settings(postgres);
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String packs = "/api/orgs/" + service.org() + "/policies";
      service.admin().post(packs, counted(3));
      service.admin().post(packs + "/" + ID + "/activate", "");
      String agent = StockPack.agent(service);
      for (int i = 0; i < 5; i++) {
        ask(service, agent, "'items': 1");
      }
      assertThat(replay(settings, counted(3), "--ndjson").results()).isEmpty();
      assertThat(replay(settings, counted(2), "--ndjson").results())
          .containsExactly("would_deny daily");
      assertThat(replay(settings, counted(9), "--ndjson").results())
          .containsExactly("would_allow", "would_allow");
    }
  }

  /** An instance is judged by its template too, as that was when the decision was made. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void judgesInstancesByTheirTemplatesAsTheyWere(boolean postgres) throws Exception {
    Map<String, String> settings = settings(postgres);
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String packs = "/api/orgs/" + service.org() + "/policies";
      service.admin().post(packs, StockPack.pack(ID, 40));
      service.admin().post(packs + "/" + ID + "/activate", "");
      String template = StockPack.agent(service);
      String instance =
          service
              .owner()
              .post("/api/passports/" + template + "/instances", "{}")
              .string("agent_id");
      ask(service, instance, "'items': 30");
      limit(service, template, 10);
      assertThat(ask(service, instance, "'items': 20").json().isTrue("allow")).isFalse();
      Questions.status(service, template, "suspended");
      ask(service, instance, "'items': 5");
      Questions.status(service, template, "active");
      limit(service, template, 50);

      Ran same = replay(settings, StockPack.pack(ID, 40), "--ndjson");
      assertThat(same.results()).isEmpty();
      assertThat(replay(settings, StockPack.pack(ID, 40)).text())
          .contains("  3 the same, of them 0 for another reason");
      assertThat(replay(settings, StockPack.pack(ID, 25), "--ndjson").results())
          .containsExactly("would_deny own_cap");
      assertThat(replay(settings, counted(9), "--ndjson").results()).containsExactly("would_allow");
    }
  }

  private static void limit(TestService service, String agent, int items) {
    Reply reply =
        service
            .owner()
            .patch(
                "/api/passports/" + agent,
                "{\"limits\": {\"acme.stock.move\": {\"max_items\": " + items + "}}}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  /** What was given back was never used. */
  @Test
  void doesNotCountWhatWasReleased() throws Exception {
    Map<String, String> settings = settings(false);
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String packs = "/api/orgs/" + service.org() + "/policies";
      service.admin().post(packs, counted(2));
      service.admin().post(packs + "/" + ID + "/activate", "");
      String agent = StockPack.agent(service);
      String reservation = reserve(service, agent);
      Reply released = service.admin().post("/api/usage/" + reservation + "/release", "");
      assertThat(released.status()).as(released.toString()).isEqualTo(200);
      ask(service, agent, "'items': 1");
      ask(service, agent, "'items': 1");
      assertThat(replay(settings, counted(2), "--ndjson").results()).isEmpty();
      assertThat(replay(settings, counted(1), "--ndjson").results())
          .containsExactly("would_deny daily");
    }
  }

  /** Until it was given back it counted. */
  @Test
  void countsWhatIsReleasedLater() throws Exception {
    Map<String, String> settings = settings(false);
    MovableClock clock = MovableClock.running();
    try (TestService service = TestService.start(folder.resolve("data"), settings, clock)) {
      String packs = "/api/orgs/" + service.org() + "/policies";
      service.admin().post(packs, counted(2));
      service.admin().post(packs + "/" + ID + "/activate", "");
      String agent = StockPack.agent(service);
      String reservation = reserve(service, agent);
      ask(service, agent, "'items': 1");
      clock.advance(Duration.ofSeconds(1));
      Reply released = service.admin().post("/api/usage/" + reservation + "/release", "");
      assertThat(released.status()).as(released.toString()).isEqualTo(200);
      assertThat(replay(settings, counted(2), "--ndjson").results()).isEmpty();
      assertThat(replay(settings, counted(1), "--ndjson").results())
          .containsExactly("would_deny daily");
    }
  }

  private static String reserve(TestService service, String agent) {
    String question = "{'context': {'agent_id': '" + agent + "', 'items': 1}}";
    return service
        .owner()
        .post("/api/verify/policy/" + ID + "?reserve=true", Calls.json(question))
        .string("reservation_id");
  }

  @Test
  void cannotTellWhatFeedsDecided() throws Exception {
    Map<String, String> settings = settings(false);
    String trade = "finance.crypto.trade.v1";
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      Reply fed =
          service
              .admin()
              .put("/api/admin/feeds/exchange_status", "{\"values\": {\"mill\": \"offline\"}}");
      assertThat(fed.status()).as(fed.toString()).isEqualTo(200);
      JsonObject passport =
          Calls.json(
              """
              {'name': 'Trader', 'assurance_level': 'L3', 'capabilities': ['finance.crypto.trade'],
               'limits': {'finance.crypto.trade': {'allowed_exchanges': ['*'], 'allowed_tokens': ['*'],
                 'max_trade_size_usd': 900, 'max_hot_wallet_trade_usd': 900,
                 'max_daily_trade_volume_usd': 900, 'max_trades_per_day': 9}}}
              """);
      String agent = Questions.hosted(service, service.org(), passport);
      Reply denied =
          service
              .owner()
              .post(
                  "/api/verify/policy/" + trade,
                  Calls.json(
                      "{'context': {'agent_id': '"
                          + agent
                          + "', 'exchange_id': 'mill', 'pair': 'RYE-USD', 'side': 'buy',"
                          + " 'amount_usd': 5}}"));
      assertThat(Questions.code(denied)).isEqualTo("oap.exchange_offline");
      JsonObject pack = object(Files.readString(Path.of("policies", trade, "policy.json")));
      assertThat(replay(settings, pack, "--ndjson").results())
          .containsExactly("unknown what the operator had reported then is not recorded");
    }
  }

  private static JsonObject counted(int most) {
    return Calls.json(
        """
        {'id': '%s', 'requires_capabilities': ['acme.stock.move'], 'evaluation_rules': [
           {'name': 'daily', 'deny_code': 'oap.daily_limit_exceeded',
            'counters': [{'name': 'moves', 'window': 'day', 'max': '%d'}]}]}
        """
            .formatted(ID, most));
  }

  private static JsonObject object(String text) throws JsonFault {
    return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
  }
}
