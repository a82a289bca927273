package dev.safeconduct.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A version is tried beside the active one: answers stay as they are, differences are kept. */
final class ShadowTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static final TestService sqlite = services.on(EachStore.SQLITE);

  private static String made(TestService service, JsonObject active, JsonObject tried) {
    String packs = "/api/orgs/" + service.org() + "/policies";
    String id = active.string("id").orElseThrow();
    assertThat(service.admin().post(packs, active).status()).isEqualTo(201);
    assertThat(service.admin().post(packs + "/" + id + "/activate", "").status()).isEqualTo(200);
    assertThat(service.admin().put(packs + "/" + id, Json.text(tried)).status()).isEqualTo(201);
    Reply shadow = service.admin().post(packs + "/" + id + "/shadow", "");
    assertThat(shadow.status()).as(shadow.toString()).isEqualTo(200);
    assertThat(Questions.number(shadow.json(), "shadow_version")).isEqualTo(2);
    return packs + "/" + id + "/shadow";
  }

  /** The results once that many decisions are counted. */
  private static JsonObject results(Calls calls, String path, int counted) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      Reply reply = calls.get(path);
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      JsonObject counts = reply.json().object("counts").orElseThrow();
      if (Questions.number(counts, "evaluated") + Questions.number(counts, "dropped") >= counted) {
        return reply.json();
      }
      assertThat(System.nanoTime()).as(reply.toString()).isLessThan(deadline);
    }
  }

  private static void assertCounts(JsonObject results, String wanted) {
    JsonObject counts = results.object("counts").orElseThrow();
    JsonObject expected = Calls.json(wanted);
    for (String name : expected.names()) {
      assertThat(counts.get(name)).as(name + " of " + counts).isEqualTo(expected.get(name));
    }
  }

  @ParameterizedTest
  @EnumSource
  void keepsWhatWouldHaveBeenOtherwise(EachStore store) {
    TestService service = services.on(store);
    String id = "acme.tried.v1";
    JsonObject active = StockPack.pack(id, 10);
    JsonObject tried = StockPack.pack(id, 5);
    String path = made(service, active, tried);
    String agent = StockPack.agent(service);
    String denied = StockPack.ask(service.owner(), id, agent, 7).string("decision_id");
    for (int items : new int[] {3, 12, 4}) {
      Reply answer = StockPack.ask(service.owner(), id, agent, items);
      assertThat(answer.string("policy_digest")).isEqualTo(CanonicalJson.digest(active));
      assertThat(answer.json().isTrue("allow")).isEqualTo(items <= 10);
    }
    JsonObject results = results(service.admin(), path, 4);
    assertCounts(
        results,
        "{'evaluated': 4, 'same': 3, 'would_deny': 1, 'would_allow': 0, 'other_reason': 0,"
            + " 'failed': 0, 'dropped': 0, 'kept': 1, 'interrupted_nodes': 0}");
    JsonArray differences = results.array("differences").orElseThrow();
    assertThat(differences.size()).isEqualTo(1);
    JsonObject difference = (JsonObject) differences.get(0);
    assertThat(difference.string("decision_id")).contains(denied);
    assertThat(difference.string("difference")).contains("would_deny");
    JsonObject shadow = difference.object("shadow").orElseThrow();
    assertThat(shadow.string("policy_digest")).contains(CanonicalJson.digest(tried));
    assertThat(shadow.string("code")).contains("oap.limit_exceeded");
    assertThat(shadow.string("rule")).contains("own_cap");

    Reply exported = service.admin().get(path + "?format=ndjson");
    assertThat(exported.text().lines().map(ShadowTest::parsed)).containsExactly(difference);

    // Switched on, it decides; there is nothing left to try.
    service.admin().post(path.replace("/shadow", "/activate"), "");
    assertThat(Questions.code(StockPack.ask(service.owner(), id, agent, 7)))
        .isEqualTo("oap.limit_exceeded");
    JsonObject after = service.admin().get(path + "?version=2").json();
    assertThat(after.isTrue("running")).isFalse();
    assertCounts(after, "{'evaluated': 4}");
  }

  /** A tried version that counts looks at the counters of the active one and charges none. */
  @ParameterizedTest
  @EnumSource
  void chargesNothing(EachStore store) {
    TestService service = services.on(store);
    String id = "acme.counted.v1";
    JsonObject active = counted(id, 4);
    String path = made(service, active, counted(id, 2));
    String agent = StockPack.agent(service);
    for (int i = 0; i < 5; i++) {
      Reply answer = StockPack.ask(service.owner(), id, agent, 1);
      assertThat(answer.json().isTrue("allow")).as("request %s", i).isEqualTo(i < 4);
      results(service.admin(), path, i + 1);
    }
    // The third and fourth would have been denied, the first two and the fifth are alike.
    assertCounts(results(service.admin(), path, 5), "{'evaluated': 5, 'same': 3, 'would_deny': 2}");
  }

  private static JsonObject counted(String id, int most) {
    return Calls.json(
        """
        {'id': '%s', 'requires_capabilities': ['acme.stock.move'], 'evaluation_rules': [
           {'name': 'daily', 'deny_code': 'oap.daily_limit_exceeded',
            'counters': [{'name': 'moves', 'window': 'day', 'max': '%d'}]}]}
        """
            .formatted(id, most));
  }

  @Test
  void aTrialNeedsAnActiveVersionAndAnother() {
    String id = "acme.trial.v1";
    String packs = "/api/orgs/" + sqlite.org() + "/policies";
    sqlite.admin().post(packs, StockPack.pack(id, 1));
    assertThat(sqlite.admin().post(packs + "/" + id + "/shadow", "").status()).isEqualTo(409);
    sqlite.admin().post(packs + "/" + id + "/activate", "");
    assertThat(sqlite.admin().post(packs + "/" + id + "/shadow", "").status()).isEqualTo(409);
    Reply none = sqlite.admin().get(packs + "/" + id + "/shadow");
    assertThat(none.json().get("shadow_version")).isEqualTo(JsonNull.NULL);
    sqlite.admin().put(packs + "/" + id, Json.text(StockPack.pack(id, 2)));
    assertThat(sqlite.admin().post(packs + "/" + id + "/shadow", "").status()).isEqualTo(200);
    Reply stopped = sqlite.admin().delete(packs + "/" + id + "/shadow");
    assertThat(stopped.json().get("shadow_version")).isEqualTo(JsonNull.NULL);
  }

  /** What a node has counted when it is told to stop is written before it stops. */
  @Test
  void nothingIsLostByAStop(@TempDir Path folder) {
    String id = "acme.stopped.v1";
    String path;
    Optional<String> key;
    try (TestService service = TestService.start(folder, Map.of())) {
      path = made(service, StockPack.pack(id, 10), StockPack.pack(id, 5));
      String agent = StockPack.agent(service);
      for (int i = 0; i < 50; i++) {
        StockPack.ask(service.owner(), id, agent, 7);
      }
      key = Optional.of(service.key());
    }
    assertThat(key).isPresent();
    try (TestService service = TestService.start(folder, Map.of())) {
      JsonObject results = service.admin().get(path).json();
      assertCounts(results, "{'evaluated': 50, 'would_deny': 50, 'interrupted_nodes': 0}");
    }
  }

  private static JsonObject parsed(String line) {
    try {
      return Json.parseObject(line.getBytes(StandardCharsets.UTF_8));
    } catch (dev.safeconduct.json.JsonFault e) {
      throw new AssertionError(line, e);
    }
  }
}
