package dev.safeconduct.policy.hosted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one node is told of a pack, every node knows. */
final class PacksOnTwoNodesTest {
  @TempDir private static Path folder;
  private static TestService one;
  private static TestService two;
  private static String packs;

  @BeforeAll
  static void start() {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    one = TestService.start(folder.resolve("one"), settings);
    two = TestService.start(folder.resolve("two"), settings);
    packs = "/api/orgs/" + one.org() + "/policies";
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
  }

  /** Without a single request for it, both nodes have it and say so. */
  @Tag("timing")
  @Test
  void bothNodesTakeUpANewVersionWithinASecond() {
    String id = "acme.everywhere.v1";
    one.admin().post(packs, StockPack.pack(id, 10));
    for (int version = 1; version <= 3; version++) {
      JsonObject pack = StockPack.pack(id, 10 * version);
      one.admin().put(packs + "/" + id, Json.text(pack));
      Reply activated =
          one.admin()
              .post(packs + "/" + id + "/activate", Calls.json("{'version': " + version + "}"));
      assertThat(activated.status()).isEqualTo(200);
      long deadline = System.nanoTime() + WallClock.limit(Duration.ofSeconds(1)).toNanos();
      List<String> used = used(id);
      while (!used.equals(List.of(CanonicalJson.digest(pack), CanonicalJson.digest(pack)))
          && System.nanoTime() < deadline) {
        used = used(id);
      }
      assertThat(used).containsExactly(CanonicalJson.digest(pack), CanonicalJson.digest(pack));
    }
  }

  /** Whoever creates a pack meanwhile is told that the organization is gone. */
  @Test
  void aPackOfAnOrganizationThatIsDeletedMeanwhileIsUnknown() {
    for (int round = 0; round < 10; round++) {
      String org = organization("Passing");
      List<Integer> statuses =
          AtOnce.run(
              32,
              i -> {
                Calls admin = (i % 2 == 0 ? one : two).admin();
                return i == 16
                    ? admin.delete("/api/orgs/" + org + "?confirm=Passing&reason=test").status()
                    : admin
                        .post(
                            "/api/orgs/" + org + "/policies",
                            StockPack.pack("acme.passing" + i + ".v1", 1))
                        .status();
              });
      assertThat(statuses).contains(200).isSubsetOf(200, 201, 404);
    }
  }

  private static String organization(String name) {
    JsonObject body = JsonObject.builder().put("name", name).build();
    return one.admin().post("/api/orgs", body).json().string("org_id").orElseThrow();
  }

  private static List<String> used(String id) {
    var digests = new ArrayList<String>();
    for (JsonValue node :
        two.admin().get(packs + "/" + id).json().array("active_on").orElseThrow()) {
      digests.add(((JsonObject) node).string("policy_digest").orElse("none"));
    }
    return digests;
  }

  /** Activation is a line in the log: no decision behind it rests on what was before it. */
  @Test
  void noDecisionRestsOnAVersionThatIsNoLongerActive() throws InterruptedException {
    String id = "acme.fenced.v1";
    JsonObject wide = StockPack.pack(id, 40);
    JsonObject narrow = StockPack.pack(id, 1);
    one.admin().post(packs, wide);
    one.admin().put(packs + "/" + id, Json.text(narrow));
    activate(id, 1);
    String agent = StockPack.agent(one);
    var warm = new CountDownLatch(40);
    var statuses = new ConcurrentLinkedQueue<Integer>();
    var threads = new ArrayList<Thread>();
    for (TestService node : List.of(one, two)) {
      Calls calls = node.withKey(one.key());
      for (int i = 0; i < 4; i++) {
        threads.add(
            Thread.startVirtualThread(() -> {
              for (int n = 0; n < 60; n++) {
                statuses.add(StockPack.ask(calls, id, agent, 5).status());
                warm.countDown();
              }
            }));
      }
    }
    warm.await();
    for (int i = 0; i < 6; i++) {
      activate(id, i % 2 == 0 ? 2 : 1);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(statuses).hasSize(8 * 60).containsOnly(200);
    checkTheLog(id, agent);
  }

  private static void activate(String id, int version) {
    Reply reply =
        one.admin()
            .post(packs + "/" + id + "/activate", Calls.json("{'version': " + version + "}"));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  private static void checkTheLog(String id, String agent) {
    Optional<String> active = Optional.empty();
    var seen = new HashSet<String>();
    for (JsonObject record : theLog()) {
      JsonObject body = record.object("body").orElseThrow();
      if (body.string("change").equals(Optional.of("activated"))
          && body.string("policy_id").equals(Optional.of(id))) {
        active = body.string("policy_digest");
      } else if (record.string("agent_id").equals(Optional.of(agent))
          && record.string("kind").equals(Optional.of("decision"))) {
        assertThat(body.string("policy_digest")).isEqualTo(active);
        seen.add(body.string("policy_digest").orElseThrow());
      }
    }
    assertThat(seen).as("both versions have decided").hasSize(2);
  }

  /** All records of the organization, oldest first. */
  private static List<JsonObject> theLog() {
    var all = new ArrayList<JsonObject>();
    String cursor = "";
    do {
      Reply page = one.owner().get("/api/audit?limit=200" + cursor);
      JsonArray records = page.json().array("records").orElseThrow();
      records.forEach(record -> all.addFirst((JsonObject) record));
      cursor = page.json().string("next_cursor").map(next -> "&cursor=" + next).orElse("");
    } while (!cursor.isEmpty());
    return all;
  }
}
