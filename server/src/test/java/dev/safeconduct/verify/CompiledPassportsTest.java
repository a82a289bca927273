package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.CompiledPassport;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.TestPacks;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A decision follows the passport and the pack of its moment, although both are compiled once. */
@Tag("attack")
final class CompiledPassportsTest {
  private static final String ID = "acme.stock.compiled.v1";
  private static final int CHANGES = 30;

  @AutoClose private static final TestService service = TestService.start();

  private static JudgedPassport judged(int most) {
    return JudgedPassport.of(Calls.json("{'limits': {'max_items': %d}}".formatted(most)));
  }

  private static PolicyPack pack(int most) throws Exception {
    return TestPacks.parse(Json.text(StockPack.pack(ID, most)));
  }

  @Test
  void compilesOnceAndAnewForAnotherPassportOrPack() throws Exception {
    var passports = new CompiledPassports();
    JudgedPassport passport = judged(1);
    PolicyPack pack = pack(1);
    CompiledPassport first = passports.of(passport, "digest", pack);
    assertThat(passports.of(passport, "digest", pack)).isSameAs(first);
    // Not even one digest for two documents would show an earlier one.
    JudgedPassport changed = judged(2);
    assertThat(passports.of(changed, "digest", pack).passport()).isSameAs(changed);
    PolicyPack same = pack(1);
    assertThat(same.digest()).isEqualTo(pack.digest());
    assertThat(passports.of(changed, "digest", same).pack()).isSameAs(same);
    assertThat(passports.of(changed, "other", pack(2)).pack().digest()).isNotEqualTo(pack.digest());
  }

  @Test
  void neverReturnsWhatAnotherThreadAskedFor() throws Exception {
    var passports = new CompiledPassports();
    var known = List.of(judged(1), judged(2));
    var packs = List.of(pack(1), pack(1));
    AtOnce.run(
        8,
        number -> {
          for (int i = 0; i < 2_000; i++) {
            JudgedPassport passport = known.get((number + i) % 2);
            PolicyPack pack = packs.get((number + i / 2) % 2);
            CompiledPassport compiled = passports.of(passport, "digest", pack);
            assertThat(compiled.passport()).isSameAs(passport);
            assertThat(compiled.pack()).isSameAs(pack);
          }
          return number;
        });
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
