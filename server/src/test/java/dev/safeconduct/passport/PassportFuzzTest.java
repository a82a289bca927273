package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import dev.safeconduct.testkit.Rooms;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;

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

  private static final String[] VALUES = {
    "active", "L4", "2027-01-01T00:00:00Z", "US", "web.fetch", "a-b", "instance"
  };

  @AutoClose private static final Rooms ROOMS = new Rooms();

  @RandomTest(cases = 4000)
  void aNewPassportIsIssuedOrRefused(RandomCase random) {
    JsonObject body = body(random);
    try {
      Passport passport =
          ROOMS
              .issuePassport
              .run(Rooms.admin(), ROOMS.ours, body, IssuePassport.Claim.CLAIMED)
              .passport();
      assertThat(Json.parse(Json.bytes(passport.document()))).isEqualTo(passport.document());
      assertThat(PassportDocument.passport(passport.document(), 1)).isEqualTo(passport);
    } catch (ProblemException e) {
      assertThat(e.problem().message()).hasSizeBetween(10, 500).endsWith(".");
    } catch (dev.safeconduct.json.JsonFault e) {
      throw new AssertionError(e);
    }
  }

  @RandomTest(cases = 4000)
  void anUpdateIsMadeOrRefused(RandomCase random) {
    JsonObject body = body(random);
    Passport before = ROOMS.passport(ROOMS.ours, "Bot");
    var update = new UpdatePassport.Update(before.agentId(), body, Optional.empty());
    try {
      Passport after = ROOMS.updatePassport.run(Rooms.admin(), update).passport();
      assertThat(after.owner()).isEqualTo(before.owner());
      assertThat(after.document().get("assurance_level")).isEqualTo(new JsonString("L0"));
    } catch (ProblemException e) {
      assertThat(e.problem().message()).hasSizeBetween(10, 500).endsWith(".");
      assertThat(ROOMS.passports.find(before.agentId())).contains(before);
    }
  }

  private static JsonObject body(Random random) {
    JsonObject body = object(random, 3);
    return random.nextInt(4) == 0 ? body : body.with("name", new JsonString("Bot"));
  }

  private static JsonValue value(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 8)) {
      case 0 -> random.nextBoolean() ? JsonNull.NULL : JsonBoolean.of(random.nextBoolean());
      case 1 -> new JsonNumber(random.nextGaussian() * Math.pow(10, random.nextInt(300)));
      case 2 -> new JsonString(NAMES[random.nextInt(NAMES.length)]);
      case 3 -> new JsonString(VALUES[random.nextInt(VALUES.length)]);
      case 4 -> new JsonString(text(random));
      case 5, 6 -> object(random, depth - 1);
      default ->
          new JsonArray(
              Stream.generate(() -> value(random, depth - 1)).limit(random.nextInt(4)).toList());
    };
  }

  private static JsonObject object(Random random, int depth) {
    JsonObject.Builder object = JsonObject.builder();
    for (int i = random.nextInt(6); i > 0; i--) {
      boolean known = random.nextInt(8) > 0;
      object.put(known ? NAMES[random.nextInt(NAMES.length)] : text(random), value(random, depth));
    }
    return object.build();
  }

  private static String text(Random random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0xd800));
    }
    return text.toString();
  }
}
