package dev.safeconduct.signing;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.app.KeyCheck;
import dev.safeconduct.audit.verify.Fsck;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.tlog.SignedNote;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that sign are replaced without losing what they signed, and dropped when they leak. */
final class SigningKeysTest {
  private static final String TOKEN = "/api/verify/token/system.command.execute.v1";

  private static String kid(Reply decision) {
    assertThat(decision.status()).as(decision.toString()).isEqualTo(200);
    return decision.string("kid");
  }

  private static List<String> published(TestService service) {
    var kids = new ArrayList<String>();
    for (JsonValue key : service.nobody().get("/jwks.json").json().array("keys").orElseThrow()) {
      kids.add(((JsonObject) key).string("kid").orElseThrow());
    }
    return kids;
  }

  private static JsonObject listed(TestService service, String kid) {
    for (JsonValue key :
        service.nobody().get("/api/signing-keys").json().array("keys").orElseThrow()) {
      if (((JsonObject) key).string("kid").orElseThrow().equals(kid)) {
        return (JsonObject) key;
      }
    }
    throw new AssertionError("not listed: " + kid);
  }

  private static String rotated(TestService service, String purpose) {
    Reply reply =
        service
            .admin()
            .post(
                "/api/admin/signing-keys/rotate",
                JsonObject.builder().put("purpose", purpose).build());
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply.string("kid");
  }

  private static void revoke(TestService service, String kid) {
    Reply reply =
        service
            .admin()
            .post("/api/admin/signing-keys/" + kid + "/revoke", "{\"reason\": \"It leaked.\"}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.string("status")).isEqualTo("revoked");
  }

  @ParameterizedTest
  @EnumSource
  void aRotatedKeyStaysPublishedAndItsTokensGood(EachStore store) {
    try (TestService service = store.start(Map.of(), new MovableClock())) {
      String agent = Questions.hosted(service, 5);
      JsonObject question = Questions.command(agent, "ls");
      String first = kid(service.owner().post(COMMAND, question));
      String token = service.owner().post(TOKEN, question).string("token");
      String second = rotated(service, "decision");
      assertThat(second).isNotEqualTo(first);
      assertThat(kid(service.owner().post(COMMAND, question))).isEqualTo(second);
      assertThat(published(service)).contains(first, second);
      assertThat(listed(service, first).string("status")).contains("retired");
      assertThat(listed(service, first).string("retired_at")).isPresent();
      assertThat(listed(service, second).string("status")).contains("current");
      rotated(service, "decision_token");
      assertThat(Questions.verdict(service, token)).isEqualTo("valid");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRevokedKeyVouchesForNothing(EachStore store) {
    var clock = new MovableClock();
    try (TestService service = store.start(Map.of(), clock)) {
      String agent = Questions.hosted(service, 5);
      JsonObject question = Questions.command(agent, "ls");
      Calls once = service.owner().with("Idempotency-Key", "once");
      Reply before = once.post(COMMAND, question);
      String token = service.owner().post(TOKEN, question).string("token");
      String tokenKid =
          published(service).stream()
              .filter(kid -> kid.contains(":decision_token-"))
              .findFirst()
              .orElseThrow();
      revoke(service, kid(before));
      revoke(service, tokenKid);
      revoke(service, tokenKid); // says so again, and changes nothing
      assertThat(published(service)).doesNotContain(kid(before), tokenKid);
      assertThat(listed(service, tokenKid).string("status")).contains("revoked");
      assertThat(Questions.verdict(service, token)).isEqualTo("unknown_key");
      Reply after = service.owner().post(COMMAND, question);
      assertThat(kid(after)).isNotEqualTo(kid(before));
      assertThat(published(service)).contains(kid(after));
      // What it signed is not handed out again, not even to an idempotency key.
      Reply repeated = once.post(COMMAND, question);
      assertThat(kid(repeated)).isEqualTo(kid(after));
      assertThat(repeated.header("Idempotent-Replayed")).isEmpty();
      assertThat(service.admin().get("/api/audit?kind=config").text().split("key_revoked\"", -1))
          .as("two records, and what is around them")
          .hasSize(3);
    }
  }

  @Test
  void everyNodeSignsWithTheNewKeyAtOnce(@TempDir Path folder) {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    try (TestService one = TestService.start(folder.resolve("one"), settings);
        TestService two = TestService.start(folder.resolve("two"), settings)) {
      String agent = Questions.hosted(one, 5);
      JsonObject question = Questions.command(agent, "ls");
      Calls there = two.withKey(one.key());
      for (int i = 0; i < 20; i++) {
        String leaked = kid(there.post(COMMAND, question));
        // No waiting: the commit itself finds out that the key is not the one any more.
        if (i % 2 == 0) {
          revoke(one, leaked);
        } else {
          rotated(one, "decision");
        }
        assertThat(kid(there.post(COMMAND, question))).isNotEqualTo(leaked);
      }
      assertThat(published(two)).isEqualTo(published(one));
      Fsck.Report report =
          check(StoreConfig.postgres(Objects.requireNonNull(settings.get("DATABASE_URL"))));
      assertThat(report.faults()).isEmpty();
    }
  }

  private static Fsck.Report check(StoreConfig store) {
    try (LogReader reader = LogReader.open(store)) {
      return Fsck.run(reader.log(), new KeyCheck(reader.keys(), Ed25519.fastest()), List.of());
    }
  }

  /** Who trusts the log's first key goes on to verify it, until that key is revoked. */
  @ParameterizedTest
  @EnumSource
  void theLogIsSignedByItsRetiredKeysToo(EachStore store) {
    var clock = new MovableClock();
    try (TestService service = store.start(Map.of(), clock)) {
      String first = keys(service).getFirst();
      String kid = rotated(service, "checkpoint");
      assertThat(keys(service)).hasSize(2).last().isEqualTo(first);
      clock.advance(Duration.ofSeconds(2));
      assertThat(signers(service)).hasSize(2);
      String old =
          published(service).stream()
              .filter(each -> each.contains(":checkpoint-") && !each.equals(kid))
              .findFirst()
              .orElseThrow();
      revoke(service, old);
      clock.advance(Duration.ofSeconds(2));
      assertThat(signers(service)).hasSize(1);
      assertThat(keys(service)).hasSize(1).doesNotContain(first);
    }
  }

  private static List<String> keys(TestService service) {
    return service.nobody().get("/api/audit/log/verifier-key").text().lines().toList();
  }

  private static List<SignedNote.Line> signers(TestService service) {
    return SignedNote.parse(service.nobody().get("/api/audit/log/checkpoint").text())
        .orElseThrow()
        .lines();
  }

  @ParameterizedTest
  @ValueSource(strings = {"session", "passport", "metadata"})
  void whatElseIsSignedGoesOn(String purpose) {
    try (TestService service = EachStore.SQLITE.start(Map.of(), new MovableClock())) {
      Calls person = service.operator();
      String agent = Questions.hosted(service, 5);
      String kid = rotated(service, purpose);
      assertThat(person.get("/api/auth/me").status()).isEqualTo(200);
      assertThat(service.nobody().get("/api/verify/" + agent).string("kid").equals(kid))
          .isEqualTo(purpose.equals("passport"));
      revoke(service, kid);
      assertThat(service.nobody().get("/.well-known/authzen-configuration").status())
          .isEqualTo(200);
      // A session that the revoked key did not sign goes on.
      assertThat(person.get("/api/auth/me").status()).isEqualTo(200);
    }
  }
}
