package dev.safeconduct.policy.hosted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.StockPack;
import dev.safeconduct.testkit.TestService;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An organization writes packs of its own, from the first fault to the last withdrawal. */
public final class OwnPacksTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static final TestService sqlite = services.on(EachStore.SQLITE);

  private static String policies(TestService service) {
    return "/api/orgs/" + service.org() + "/policies";
  }

  @ParameterizedTest
  @EnumSource
  void fromDraftToWithdrawal(EachStore store) {
    TestService service = services.on(store);
    String id = "acme.stock.move.v1";
    String packs = policies(service);
    JsonObject first = StockPack.pack(id, 10);
    String agent = StockPack.agent(service);
    assertThat(StockPack.ask(service.owner(), id, agent, 5).status()).isEqualTo(404);

    Reply created = service.admin().post(packs, first);
    assertThat(created.status()).as(created.toString()).isEqualTo(201);
    assertThat(created.string("status")).isEqualTo("draft");
    assertThat(created.string("latest_digest")).isEqualTo(CanonicalJson.digest(first));
    assertThat(service.admin().post(packs, first).status()).isEqualTo(409);
    // Published and yet not active: a deny, never an allow.
    Reply draft = StockPack.ask(service.owner(), id, agent, 5);
    assertThat(Questions.code(draft)).isEqualTo("oap.policy_error");
    assertThat(draft.string("reason")).contains("No version of the policy pack is active");

    assertThat(service.admin().post(packs + "/" + id + "/activate", "").status()).isEqualTo(200);
    Reply allowed = StockPack.ask(service.owner(), id, agent, 5);
    assertThat(Questions.code(allowed)).isEqualTo("oap.allowed");
    assertThat(allowed.string("policy_digest")).isEqualTo(CanonicalJson.digest(first));
    assertThat(allowed.string("policy_source")).isEqualTo("registry");
    assertThat(Questions.code(StockPack.ask(service.owner(), id, agent, 11)))
        .isEqualTo("oap.limit_exceeded");

    JsonObject second = StockPack.pack(id, 20);
    Reply added = service.admin().put(packs + "/" + id, Json.text(second));
    assertThat(added.status()).as(added.toString()).isEqualTo(201);
    assertThat(Questions.number(added.json(), "latest_version")).isEqualTo(2);
    assertThat(Questions.number(added.json(), "active_version")).isEqualTo(1);
    assertThat(service.admin().put(packs + "/" + id, Json.text(second)).status()).isEqualTo(200);
    assertThat(Questions.code(StockPack.ask(service.owner(), id, agent, 11)))
        .isEqualTo("oap.limit_exceeded");
    service.admin().post(packs + "/" + id + "/activate", Calls.json("{'version': 2}"));
    Reply now = StockPack.ask(service.owner(), id, agent, 11);
    assertThat(Questions.code(now)).isEqualTo("oap.allowed");
    assertThat(now.string("policy_digest")).isEqualTo(CanonicalJson.digest(second));

    // Frozen: the first version is still what it was, and can be gone back to.
    Reply frozen = service.admin().get(packs + "/" + id + "/versions/1");
    assertThat(frozen.json()).isEqualTo(first);
    assertThat(frozen.header("X-Policy-Digest")).contains(CanonicalJson.digest(first));
    service.admin().post(packs + "/" + id + "/activate", Calls.json("{'version': 1}"));
    assertThat(Questions.code(StockPack.ask(service.owner(), id, agent, 11)))
        .isEqualTo("oap.limit_exceeded");

    service.admin().post(packs + "/" + id + "/deprecate", "");
    Reply gone = StockPack.ask(service.owner(), id, agent, 5);
    assertThat(Questions.code(gone)).isEqualTo("oap.policy_error");
    Reply again =
        service.admin().post(packs + "/" + id + "/activate", Calls.json("{'version': 1}"));
    assertThat(again.status()).isEqualTo(409);
    JsonArray versions =
        service.admin().get(packs + "/" + id + "/versions").json().array("versions").orElseThrow();
    assertThat(versions.elements())
        .extracting(version -> ((JsonObject) version).string("status").orElseThrow())
        .containsExactly("published", "deprecated");

    JsonArray records =
        Questions.records(service.admin(), "kind=policy_changed&org_id=" + service.org());
    assertThat(records.elements())
        .extracting(record -> ((JsonObject) record).object("body").orElseThrow())
        .filteredOn(body -> body.string("policy_id").equals(java.util.Optional.of(id)))
        .extracting(body -> body.string("change").orElseThrow())
        .containsExactly(
            "deprecated", "activated", "activated", "version_added", "activated", "created");
  }

  /** As a script does that activates what a folder holds. */
  @Test
  void manyAreActivatedAtOnce() {
    for (int i = 0; i < 24; i++) {
      sqlite.admin().post(policies(sqlite), StockPack.pack("acme.many" + i + ".v1", 10));
    }
    String each = policies(sqlite) + "/acme.many%d.v1/activate";
    assertThat(AtOnce.run(24, i -> sqlite.admin().post(each.formatted(i), "").status()))
        .containsOnly(200);
  }

  @Test
  void anotherOrganizationSeesNothingOfIt() {
    String id = "acme.secret.v1";
    sqlite.admin().post(policies(sqlite), StockPack.pack(id, 10));
    sqlite.admin().post(policies(sqlite) + "/" + id + "/activate", "");
    var other = Questions.Tenant.made(sqlite, "Other", "'read', 'issue', 'list_agents'");
    String agent = StockPack.agent(sqlite);
    assertThat(StockPack.ask(sqlite.owner(), id, agent, 5).status()).isEqualTo(200);
    Calls stranger = sqlite.withKey(other.key());
    assertThat(StockPack.ask(stranger, id, agent, 5).status()).isEqualTo(404);
    String theirs =
        Questions.hosted(sqlite, other.org(), Questions.passport(Questions.freshAgent(), 5));
    assertThat(StockPack.ask(stranger, id, theirs, 5).status()).isEqualTo(404);
    // The operator asks about the other organization's agent: the pack is not that one's either.
    assertThat(StockPack.ask(sqlite.admin(), id, theirs, 5).status()).isEqualTo(404);
    assertThat(sqlite.nobody().get("/api/policies/" + id).status()).isEqualTo(404);
    assertThat(sqlite.nobody().get("/api/policies").text()).doesNotContain(id);
    assertThat(sqlite.admin().get("/api/orgs/" + other.org() + "/policies").text())
        .doesNotContain(id);
    assertThat(sqlite.owner().get(policies(sqlite)).status()).isEqualTo(403);
    // It may have one of the same name, which is another pack.
    Reply same =
        sqlite.admin().post("/api/orgs/" + other.org() + "/policies", StockPack.pack(id, 3));
    assertThat(same.status()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(strings = {"system.command.execute.v1", "payments.charge.v1", "IN_BODY"})
  void noneHasAnIdOfEverybodysPacks(String id) {
    Reply reply = sqlite.admin().post(policies(sqlite), StockPack.pack(id, 10));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(409);
    assertThat(reply.json().object("details").orElseThrow().string("reason"))
        .contains("policy_id_reserved");
  }

  @Test
  void everyFaultIsToldAndNothingStored() {
    JsonObject pack = StockPack.pack("acme.faulty.v1", 10);
    JsonObject faulty =
        Calls.json(
            Json.text(pack)
                .replace("limits.max_items\"", "limits.max_itms\"")
                .replace("oap.limit_exceeded", "oap.limit_exceded")
                .replace("\"L0\"", "\"LO\"")
                .replace('"', '\''));
    for (String path : List.of("/api/policies/validate", policies(sqlite))) {
      Reply reply = sqlite.admin().post(path, faulty);
      assertThat(reply.status()).as(reply.toString()).isEqualTo(422);
      assertThat(reply.string("code")).isEqualTo("invalid_policy");
      assertThat(reply.json().object("details").orElseThrow().array("faults").orElseThrow())
          .contains(
              JsonObject.builder()
                  .put("field", "evaluation_rules[1].condition")
                  .put("rule", "cap")
                  .put("column", 25)
                  .put("message", "the pack has no limit \"max_itms\"")
                  .put("suggestion", "max_items")
                  .build())
          .hasSize(4);
    }
    assertThat(sqlite.admin().get(policies(sqlite) + "/acme.faulty.v1").status()).isEqualTo(404);
    Reply sound = sqlite.owner().post("/api/policies/validate", pack);
    assertThat(sound.status()).isEqualTo(200);
    assertThat(sound.string("policy_digest")).isEqualTo(CanonicalJson.digest(pack));
    assertThat(
            sqlite
                .owner()
                .post("/api/policies/validate", JsonObject.builder().put("policy", pack).build())
                .status())
        .isEqualTo(200);
    assertThat(sqlite.admin().get(policies(sqlite) + "/acme.faulty.v1").status()).isEqualTo(404);
  }

  @Test
  void counterStatesOutliveVersions() {
    String id = "acme.counted.v1";
    JsonObject counted =
        StockPack.pack(id, 10)
            .with(
                "evaluation_rules",
                (JsonArray)
                    parsed(
                        "[{'name': 'daily', 'deny_code': 'oap.daily_limit_exceeded', 'counters':"
                            + " [{'window': 'day', 'max': '2'}]}]"));
    String packs = policies(sqlite);
    sqlite.admin().post(packs, counted);
    sqlite.admin().post(packs + "/" + id + "/activate", "");
    String agent = StockPack.agent(sqlite);
    assertThat(Questions.code(StockPack.ask(sqlite.owner(), id, agent, 1)))
        .isEqualTo("oap.allowed");
    JsonObject renamed = counted.with("name", new dev.safeconduct.json.JsonString("Counted"));
    sqlite.admin().put(packs + "/" + id, Json.text(renamed));
    sqlite.admin().post(packs + "/" + id + "/activate", "");
    assertThat(Questions.code(StockPack.ask(sqlite.owner(), id, agent, 1)))
        .isEqualTo("oap.allowed");
    assertThat(Questions.code(StockPack.ask(sqlite.owner(), id, agent, 1)))
        .isEqualTo("oap.daily_limit_exceeded");
  }

  @Test
  void listsPageByPage() {
    var org = Questions.Tenant.made(sqlite, "Pages", "'read'");
    String packs = "/api/orgs/" + org.org() + "/policies";
    for (int i = 0; i < 5; i++) {
      sqlite.admin().post(packs, StockPack.pack("acme.page" + i + ".v1", 10 + i));
    }
    Reply page = sqlite.admin().get(packs + "?limit=3");
    assertThat(page.json().array("policies").orElseThrow().size()).isEqualTo(3);
    Reply rest = sqlite.admin().get(packs + "?limit=3&cursor=" + page.string("next_cursor"));
    assertThat(rest.json().array("policies").orElseThrow().size()).isEqualTo(2);
    assertThat(rest.json().get("next_cursor")).isEqualTo(JsonNull.NULL);
  }

  private static dev.safeconduct.json.JsonValue parsed(String singleQuoted) {
    return Calls.json("{'it': " + singleQuoted + "}").array("it").orElseThrow();
  }
}
