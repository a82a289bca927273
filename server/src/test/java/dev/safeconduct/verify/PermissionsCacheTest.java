package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.TestPacks;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A decision follows the passport and the pack of its moment, although both are compiled once. */
@Tag("attack")
final class PermissionsCacheTest {
  private static final String ID = "acme.stock.compiled.v1";
  private static final int CHANGES = 30;

  @AutoClose private static final TestService service = TestService.start();

  private static JudgedPassport judged(int most) {
    return judged(Calls.json("{'limits': {'max_items': %d}}".formatted(most)));
  }

  private static JudgedPassport judged(JsonObject document) {
    return JudgedPassport.of(document, () -> document, () -> document, 0);
  }

  private static double most(CompiledPermissions compiled) {
    return ((JsonNumber) Objects.requireNonNull(compiled.limits().get("max_items"))).value();
  }

  private static PolicyPack pack(int most) throws Exception {
    return TestPacks.parse(Json.text(StockPack.pack(ID, most)));
  }

  @Test
  void compilesOnceAndAnewForOtherPermissionsOrPacks() throws Exception {
    var cache = new PermissionsCache();
    PolicyPack pack = pack(1);
    CompiledPermissions first = cache.of(judged(1), pack);
    assertThat(cache.of(judged(1), pack)).as("another passport permits the same").isSameAs(first);
    assertThat(most(cache.of(judged(2), pack))).isEqualTo(2);
    PolicyPack same = pack(1);
    assertThat(same.digest()).isEqualTo(pack.digest());
    assertThat(cache.of(judged(1), same)).as("an equal pack").isSameAs(first);
    assertThat(cache.of(judged(1), pack(2))).as("another pack").isNotSameAs(first);
  }

  @Test
  void packsThatAreReplacedDoNotStayInMemory() throws Exception {
    var cache = new PermissionsCache();
    var replaced = new ArrayList<WeakReference<PolicyPack>>();
    for (int i = 1; i <= 3; i++) {
      PolicyPack pack = pack(i);
      cache.of(judged(1), pack);
      replaced.add(new WeakReference<>(pack));
    }
    for (int i = 0; i < 20 && replaced.stream().anyMatch(pack -> pack.get() != null); i++) {
      System.gc();
    }
    assertThat(replaced).allMatch(pack -> pack.get() == null);
  }

  @Test
  void neverReturnsWhatAnotherThreadAskedFor() throws Exception {
    var cache = new PermissionsCache();
    var packs = List.of(pack(1), pack(1));
    AtOnce.run(
        8,
        number -> {
          for (int i = 0; i < 2_000; i++) {
            int most = 1 + (number + i) % 2;
            PolicyPack pack = packs.get((number + i / 2) % 2);
            assertThat(most(cache.of(judged(most), pack))).isEqualTo(most);
          }
          return number;
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'assurance_level': 'L2'}",
        "{'capabilities': [{'id': 'a.b'}]}",
        "{'limits': {'max_items': 1}}",
        "{'regions': ['EU']}",
        "{'mcp': {'servers': ['*']}}"
      })
  void passportsThatPermitOtherThingsHaveOtherDigests(String member) {
    JsonObject passport = Calls.json("{'status': 'active', 'name': 'a'}");
    JsonObject other = passport.toBuilder().putAll(Calls.json(member)).build();
    JudgedPassport judged = judged(other);
    assertThat(judged.permissionsDigest()).isNotEqualTo(judged(passport).permissionsDigest());
    assertThat(judged.permissions()).isNotEqualTo(judged(passport).permissions());
    assertThat(judged(other.with("name", new JsonString("b"))).permissionsDigest())
        .isEqualTo(judged.permissionsDigest());
  }

  @Test
  void agentsThatMayDoTheSameAreJudgedApart() {
    String id = "acme.stock.apart.v1";
    String packs = "/api/orgs/" + service.org() + "/policies";
    String mine = StockPack.agent(service);
    String theirs = StockPack.agent(service);
    JsonObject pack = StockPack.pack(id, 100);
    JsonObject named =
        JsonObject.builder()
            .put("name", "mine")
            .put("deny_code", "oap.limit_exceeded")
            .put("message", "Another agent.")
            .put("condition", "passport.agent_id == '" + mine + "'")
            .build();
    service.admin().post(packs, pack.with("evaluation_rules", JsonArray.of(named)));
    service.admin().post(packs + "/" + id + "/activate", JsonObject.EMPTY);
    assertThat(code(id, mine)).isEqualTo("oap.allowed");
    assertThat(code(id, theirs)).isEqualTo("oap.limit_exceeded");
    assertThat(code(id, mine)).isEqualTo("oap.allowed");
    service
        .owner()
        .put("/api/passports/" + mine + "/status", "{\"status\":\"suspended\",\"reason\":\"t\"}");
    assertThat(code(id, mine)).isEqualTo("oap.passport_suspended");
    assertThat(code(id, theirs)).isEqualTo("oap.limit_exceeded");
  }

  private static String code(String pack, String agent) {
    return Questions.code(StockPack.ask(service.owner(), pack, agent, 1));
  }

  /** Asks for 25 while the passport allows 20 or 40 and the pack 10 or 30, both changing. */
  @Test
  void everyDecisionIsThatOfThePassportAndThePackItNames() {
    String agent = StockPack.agent(service);
    String packs = "/api/orgs/" + service.org() + "/policies";
    service.admin().post(packs, StockPack.pack(ID, 10));
    JsonObject wide = StockPack.pack(ID, 30);
    assertThat(service.admin().put(packs + "/" + ID, Json.text(wide)).status()).isEqualTo(201);
    activate(packs, 2);
    Map<String, Integer> allowed = new ConcurrentHashMap<>();
    limit(agent, 40, allowed);
    assertThat(Questions.code(StockPack.ask(service.owner(), ID, agent, 25)))
        .isEqualTo("oap.allowed");
    limit(agent, 20, allowed);
    assertThat(Questions.code(StockPack.ask(service.owner(), ID, agent, 25)))
        .isEqualTo("oap.limit_exceeded");

    var changing = new AtomicInteger(2);
    List<List<Reply>> replies =
        AtOnce.run(
            6,
            number -> {
              var answers = new ArrayList<Reply>();
              for (int i = 0; number == 0 && i < CHANGES; i++) {
                limit(agent, i % 2 == 0 ? 40 : 20, allowed);
              }
              for (int i = 0; number == 1 && i < CHANGES; i++) {
                activate(packs, 1 + i % 2);
              }
              if (number < 2) {
                changing.decrementAndGet();
              }
              while (number >= 2 && changing.get() > 0) {
                answers.add(StockPack.ask(service.owner(), ID, agent, 25));
              }
              return answers;
            });
    String wideDigest = CanonicalJson.digest(wide);
    for (List<Reply> some : replies) {
      for (Reply reply : some) {
        int most = Objects.requireNonNull(allowed.get(reply.string("passport_digest")));
        boolean may = most == 40 && reply.string("policy_digest").equals(wideDigest);
        assertThat(Questions.code(reply))
            .as(reply.toString())
            .isEqualTo(may ? "oap.allowed" : "oap.limit_exceeded");
      }
    }
  }

  private static void activate(String packs, int version) {
    Reply reply =
        service
            .admin()
            .post(packs + "/" + ID + "/activate", Calls.json("{'version': %d}".formatted(version)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }

  /** Changes the passport's limit and notes it under the digest of the changed passport. */
  private static void limit(String agent, int most, Map<String, Integer> allowed) {
    String path = "/api/passports/" + agent;
    Reply reply =
        service
            .owner()
            .patch(
                path,
                Json.text(
                    Calls.json(
                        "{'limits': {'acme.stock.move': {'max_items': %d}}}".formatted(most))));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    allowed.put(CanonicalJson.digest(service.owner().get(path).json()), most);
  }
}
