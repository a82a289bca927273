package dev.safeconduct.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What the operator reports is what the next decision is judged by, on every node. */
final class FeedsTest {
  private static final String TRADE = "/api/verify/policy/finance.crypto.trade.v1";
  private static final String STATUS = "/api/admin/feeds/exchange_status";

  private static final Map<String, String> DATABASE = EachStore.POSTGRES.settings();
  @AutoClose private static final TestService one = TestService.start(DATABASE);
  @AutoClose private static final TestService two = TestService.start(DATABASE);
  @AutoClose private static final TestService alone = TestService.start();

  @Test
  void theNextDecisionIsJudgedByIt() {
    String agent = trader(alone, 1_000);
    assertThat(ask(alone, alone.key(), agent, "north")).isEqualTo("oap.allowed");
    set(alone, STATUS, "{'north': 'maintenance', 'south': 'online'}");
    assertThat(ask(alone, alone.key(), agent, "north")).isEqualTo("oap.exchange_offline");
    assertThat(ask(alone, alone.key(), agent, "south")).isEqualTo("oap.allowed");
    set(alone, "/api/admin/feeds/market_hours", "{'south': 'closed'}");
    assertThat(ask(alone, alone.key(), agent, "south")).isEqualTo("oap.market_closed");
    set(alone, "/api/admin/feeds/market_hours", "{}");
    set(alone, STATUS, "{}");
    assertThat(ask(alone, alone.key(), agent, "north")).isEqualTo("oap.allowed");
  }

  @Test
  void theNextDecisionOnTheOtherNodeToo() {
    String agent = trader(one, 1_000);
    for (int i = 0; i < 20; i++) {
      TestService here = i % 2 == 0 ? one : two;
      TestService there = i % 2 == 0 ? two : one;
      set(here, STATUS, "{'north': 'offline'}");
      assertThat(ask(there, one.key(), agent, "north")).isEqualTo("oap.exchange_offline");
      assertThat(ask(here, one.key(), agent, "north")).isEqualTo("oap.exchange_offline");
      set(there, STATUS, "{'north': 'online'}");
      assertThat(ask(here, one.key(), agent, "north")).isEqualTo("oap.allowed");
    }
  }

  /** No allow commits that was judged before a feed which has been answered. */
  @Test
  void nothingIsAllowedAfterItWhileManyAsk() {
    String agent = trader(one, 1_000_000);
    List<TestService> nodes = List.of(one, two);
    for (int round = 0; round < 3; round++) {
      set(one, STATUS, "{}");
      var answered = new AtomicBoolean();
      var asked = new CountDownLatch(16);
      List<Boolean> sound =
          AtOnce.run(
              17,
              i -> {
                if (i == 16) {
                  await(asked);
                  set(one, STATUS, "{'north': 'offline'}");
                  answered.set(true);
                  return true;
                }
                while (true) {
                  boolean late = answered.get();
                  String code = ask(nodes.get(i % 2), one.key(), agent, "north");
                  asked.countDown();
                  if (code.equals("oap.exchange_offline")) {
                    return true;
                  }
                  if (late) {
                    return false;
                  }
                }
              });
      assertThat(sound).doesNotContain(false);
    }
  }

  @Test
  void aSourcesReputationIsTheOperatorsAsWell() {
    JsonObject passport =
        Calls.json(
            """
            {'name': 'Meter', 'assurance_level': 'L2',
             'capabilities': [{'id': 'data.report.ingest'}],
             'limits': {'data.report.ingest': {'approved_sources': ['*'],
               'max_data_age_seconds': 86400, 'max_ingest_frequency_per_hour': 99,
               'min_source_reputation_score': 3}}}
            """);
    String agent = Questions.hosted(alone, alone.org(), passport);
    JsonObject question =
        Calls.json(
            """
            {'context': {'agent_id': '%s', 'report_type': 'daily', 'data_source_id': 'roof',
              'data_timestamp': '%s'}}
            """
                .formatted(agent, java.time.Instant.now().minusSeconds(60)));
    String path = "/api/verify/policy/data.report.ingest.v1";
    assertThat(Questions.code(alone.owner().post(path, question)))
        .isEqualTo("oap.source_reputation_insufficient");
    set(alone, "/api/admin/feeds/source_reputation", "{'roof': 3.5}");
    assertThat(Questions.code(alone.owner().post(path, question))).isEqualTo("oap.allowed");
    set(alone, "/api/admin/feeds/source_reputation", "{'roof': 2}");
    assertThat(Questions.code(alone.owner().post(path, question)))
        .isEqualTo("oap.source_reputation_insufficient");
  }

  @Test
  void aChangeIsRecordedAndNoChangeIsNot() {
    String path = "/api/admin/feeds/market_hours";
    set(alone, path, "{'a': 'open', 'b': 'open'}");
    Reply changed = set(alone, path, "{'b': 'closed', 'c': 'open'}");
    JsonObject body = newest(alone);
    assertThat(body.string("kind")).contains("config");
    assertThat(body.string("change")).contains("feed_set");
    assertThat(body.string("feed")).contains("market_hours");
    assertThat(body.object("changed")).contains(Calls.json("{'b': 'closed', 'c': 'open'}"));
    assertThat(body.array("removed").orElseThrow().texts()).containsExactly("a");
    long before = Questions.newestRecord(alone);
    Reply same = set(alone, path, "{'c': 'open', 'b': 'closed'}");
    assertThat(Questions.newestRecord(alone)).isEqualTo(before);
    assertThat(same.string("updated_at")).isEqualTo(changed.string("updated_at"));
    assertThat(alone.admin().get(path).json()).isEqualTo(changed.json());
  }

  @Test
  void outlivesARestart(@TempDir Path folder) {
    String agent;
    String key;
    try (TestService service = TestService.start(folder, Map.of())) {
      key = service.key();
      agent = trader(service, 1_000);
      set(service, STATUS, "{'north': 'offline'}");
    }
    try (TestService service = TestService.start(folder, Map.of())) {
      assertThat(ask(service, key, agent, "north")).isEqualTo("oap.exchange_offline");
      assertThat(service.admin().get(STATUS).json().object("values"))
          .contains(JsonObject.EMPTY.with("north", new JsonString("offline")));
    }
  }

  @TestFactory
  Stream<DynamicTest> refuses() {
    return Map.of(
            "{}", "values",
            "{'values': null}", "values",
            "{'values': []}", "values",
            "{'value': {'north': 'online'}}", "value",
            "{'values': {'north': 'Online'}}", "values.north",
            "{'values': {'north': true}}", "values.north",
            "{'values': {'north': null}}", "values.north",
            "{'values': {'': 'online'}}", "values",
            "{'values': {'north': ''}}", "values.north")
        .entrySet()
        .stream()
        .map(fault ->
            dynamicTest(
                fault.getKey(),
                () -> {
                  JsonObject before = alone.admin().get(STATUS).json();
                  Reply reply = alone.admin().put(STATUS, fault.getKey().replace('\'', '"'));
                  assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
                  assertThat(reply.string("field")).isEqualTo(fault.getValue());
                  assertThat(alone.admin().get(STATUS).json()).isEqualTo(before);
                }));
  }

  @Test
  void refusesFeedsThatAreTooLarge() {
    JsonObject.Builder values = JsonObject.builder();
    for (int i = 0; i <= 1_000; i++) {
      values.put("exchange-" + i, "online");
    }
    JsonObject body = JsonObject.builder().put("values", values.build()).build();
    Reply reply = alone.admin().put(STATUS, dev.safeconduct.json.Json.text(body));
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo("values");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Reply set(TestService service, String path, String values) {
    Reply reply = service.admin().put(path, ("{'values': " + values + "}").replace('\'', '"'));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  private static JsonObject newest(TestService service) {
    JsonObject record =
        (JsonObject) Questions.records(service.admin(), "limit=1&kind=config").get(0);
    return service
        .admin()
        .get("/api/audit/" + record.string("record_id").orElseThrow())
        .json()
        .object("body")
        .orElseThrow();
  }

  private static String trader(TestService service, int trades) {
    return Questions.hosted(
        service,
        service.org(),
        Calls.json(
            """
            {'name': 'Trader', 'assurance_level': 'L3',
             'capabilities': [{'id': 'finance.crypto.trade'}],
             'limits': {'finance.crypto.trade': {'allowed_exchanges': ['*'],
               'allowed_tokens': ['*'], 'max_trade_size_usd': 10,
               'max_hot_wallet_trade_usd': 10, 'max_daily_trade_volume_usd': %d,
               'max_trades_per_day': %d}}}
            """
                .formatted(trades, trades)));
  }

  private static String ask(TestService service, String key, String agent, String exchange) {
    return Questions.code(
        service
            .withKey(key)
            .post(
                TRADE,
                Calls.json(
                    """
                    {'context': {'agent_id': '%s', 'exchange_id': '%s', 'pair': 'BTC-EURC',
                      'side': 'buy', 'amount_usd': 1}}
                    """
                        .formatted(agent, exchange))));
  }
}
