package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.testkit.Rooms;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is sent as a passport, the answer is a passport or a problem. */
class PassportFuzzTest {
  private static final String[] NAMES = {
    "name",
    "slug",
    "description",
    "role",
    "capabilities",
    "limits",
    "regions",
    "framework",
    "categories",
    "links",
    "contact",
    "metadata",
    "mcp",
    "did",
    "expires_at",
    "never_expires",
    "status",
    "assurance_level",
    "kind",
    "agent_id",
    "passport_id",
    "owner_id",
    "owner_type",
    "version",
    "parent_agent_id",
    "created_at",
    "id",
    "params",
    "data.file.read",
    "messaging",
    "data",
    "file",
    "read",
    "payments.charge",
    "currency_limits",
    "USD",
    "allowed_paths",
    "allowed_recipients",
    "data.report.ingest",
    "max_per_tx",
    "servers",
    "homepage",
    "__proto__"
  };

  private final Rooms rooms = new Rooms();

  @Property(tries = 2000)
  void aNewPassportIsIssuedOrRefused(@ForAll("bodies") JsonObject body) {
    try {
      Passport passport =
          rooms
              .issuePassport
              .run(Rooms.admin(), rooms.ours, body, IssuePassport.Claim.CLAIMED)
              .passport();
      assertThat(Json.parse(Json.bytes(passport.document()))).isEqualTo(passport.document());
      assertThat(PassportDocument.passport(passport.document(), 1)).isEqualTo(passport);
    } catch (ProblemException e) {
      assertThat(e.problem().message()).hasSizeBetween(10, 500).endsWith(".");
    } catch (dev.safeconduct.json.JsonFault e) {
      throw new AssertionError(e);
    }
  }

  @Property(tries = 2000)
  void anUpdateIsMadeOrRefused(@ForAll("bodies") JsonObject body) {
    Passport before = rooms.passport(rooms.ours, "Bot");
    var update = new UpdatePassport.Update(before.agentId(), body, Optional.empty());
    try {
      Passport after = rooms.updatePassport.run(Rooms.admin(), update).passport();
      assertThat(after.owner()).isEqualTo(before.owner());
      assertThat(after.document().get("assurance_level")).isEqualTo(new JsonString("L0"));
    } catch (ProblemException e) {
      assertThat(e.problem().message()).hasSizeBetween(10, 500).endsWith(".");
      assertThat(rooms.passports.find(before.agentId())).contains(before);
    }
  }

  @Provide
  Arbitrary<JsonObject> bodies() {
    return object(3);
  }

  private static Arbitrary<JsonValue> value(int depth) {
    Arbitrary<JsonValue> leaf =
        Arbitraries.oneOf(
            Arbitraries.of(JsonNull.NULL, JsonBoolean.TRUE, JsonBoolean.FALSE),
            Arbitraries.doubles().map(JsonNumber::new),
            Arbitraries.of(NAMES).map(JsonString::new),
            Arbitraries.of("active", "L4", "2027-01-01T00:00:00Z", "US", "web.fetch", "a-b")
                .map(JsonString::new),
            Arbitraries.strings().ofMaxLength(40).map(JsonString::new));
    if (depth == 0) {
      return leaf;
    }
    return Arbitraries.oneOf(
        leaf, object(depth - 1), value(depth - 1).list().ofMaxSize(4).map(JsonArray::new));
  }

  private static Arbitrary<JsonObject> object(int depth) {
    Arbitrary<String> names =
        Arbitraries.oneOf(Arbitraries.of(NAMES), Arbitraries.strings().ofMaxLength(10));
    return Arbitraries.maps(names, value(depth))
        .ofMaxSize(6)
        .map(map -> {
          JsonObject.Builder object = JsonObject.builder();
          map.forEach(object::put);
          return object.build();
        });
  }
}
