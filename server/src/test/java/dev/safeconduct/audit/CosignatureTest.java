package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.app.ServerConfig;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TestWitness;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.VerifierKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Witnesses that the operator named may vouch for checkpoints; nobody else's word is shown. */
final class CosignatureTest {
  private final TestWitness one = new TestWitness("witness.example/one");
  private final TestWitness two = new TestWitness("witness.example/two");
  private final TestWitness stranger = new TestWitness("witness.example/stranger");
  private final MovableClock clock = new MovableClock();

  private Reply bring(TestService service, String note) {
    return service
        .owner()
        .post("/api/audit/log/cosignatures", JsonObject.builder().put("checkpoint", note).build());
  }

  @ParameterizedTest
  @EnumSource
  void cosignaturesOfKnownWitnessesAreShown(EachStore store) {
    Map<String, String> settings =
        Map.of("AUDIT_WITNESSES", one.verifierKey() + "," + two.verifierKey());
    try (TestService service = store.start(settings, clock)) {
      String cosigned = "/api/audit/log/cosigned-checkpoint";
      assertThat(service.nobody().get(cosigned).status()).isEqualTo(404);
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      Reply first = bring(service, one.cosigned(note, 1_700_000_000L));
      assertThat(first.status()).as(first.toString()).isEqualTo(200);
      bring(service, stranger.cosigned(two.cosigned(note, 1_700_000_001L), 1_700_000_002L));
      String shown = service.nobody().get(cosigned).text();
      assertThat(shown)
          .startsWith(note)
          .isEqualTo(two.cosigned(one.cosigned(note, 1_700_000_000L), 1_700_000_001L));

      // The log grows, a witness vouches again, and the newest such checkpoint is shown.
      String agent = Questions.hosted(service, 5);
      service.owner().post(Questions.COMMAND, Questions.command(agent, "ls"));
      clock.advance(Duration.ofSeconds(2));
      String later = service.nobody().get("/api/audit/log/checkpoint").text();
      assertThat(later).isNotEqualTo(note);
      bring(service, one.cosigned(later, 1_700_000_100L));
      assertThat(service.nobody().get(cosigned).text())
          .isEqualTo(one.cosigned(later, 1_700_000_100L));

      String wrong = later.replaceFirst("\n[0-9]+\n", "\n1\n");
      assertThat(bring(service, one.cosigned(wrong, 5)).status()).isEqualTo(409);
      String other = "example.com/log" + later.substring(later.indexOf('\n'));
      assertThat(bring(service, one.cosigned(other, 5)).status()).isEqualTo(409);
      String forged = one.cosigned(later, 7).replace("\n7\n", "\n8\n");
      for (String bad :
          List.of(
              "",
              "no note",
              note,
              stranger.cosigned(note, 5),
              forged.substring(0, forged.length() - 6) + "AAAA=\n")) {
        Reply refused = bring(service, bad);
        assertThat(refused.status()).as(bad).isEqualTo(400);
        assertThat(refused.string("field")).isEqualTo("checkpoint");
      }
      assertThat(service.nobody().get(cosigned).text())
          .isEqualTo(one.cosigned(later, 1_700_000_100L));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("attack")
  void aCosignatureIsNeverReplacedByAnOlderOneNorFromTheFuture(EachStore store) {
    try (TestService service = store.start(Map.of("AUDIT_WITNESSES", one.verifierKey()), clock)) {
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      long now = clock.instant().getEpochSecond();
      String cosigned = one.cosigned(note, now);
      assertThat(bring(service, cosigned).status()).isEqualTo(200);
      for (long older : List.of(now - 86_400, now - 1, 1L)) {
        Reply taken = bring(service, one.cosigned(note, older));
        assertThat(taken.status()).isEqualTo(200);
        assertThat(taken.string("checkpoint")).isEqualTo(cosigned);
      }
      for (long wrong : List.of(0L, -1L, now + 301, now + 978_307_200, Long.MAX_VALUE)) {
        Reply refused = bring(service, one.cosigned(note, wrong));
        assertThat(refused.status()).as(Long.toString(wrong)).isEqualTo(400);
      }
      String newer = one.cosigned(note, now + 299);
      assertThat(bring(service, newer).status()).isEqualTo(200);
      assertThat(service.nobody().get("/api/audit/log/cosigned-checkpoint").text())
          .isEqualTo(newer);
      // A good line of the witness does not save a bad one, nor one of the log's own key.
      String twice = one.cosigned(one.cosigned(note, now + 300), 0);
      assertThat(bring(service, twice).status()).isEqualTo(400);
      String bad = one.cosigned(note.replaceAll("....\n$", "AAA=\n"), now + 300);
      assertThat(bring(service, bad).status()).isEqualTo(400);
    }
  }

  /** Who trusts the published keys can open every note that is served. */
  @ParameterizedTest
  @EnumSource
  @Tag("attack")
  void aCosignedCheckpointIsSignedByKeysOfToday(EachStore store) {
    try (TestService service = store.start(Map.of("AUDIT_WITNESSES", one.verifierKey()), clock)) {
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      bring(service, one.cosigned(note, 1_700_000_000L));
      String leaked =
          service
              .nobody()
              .get("/jwks.json")
              .text()
              .replaceAll("(?s).*(checkpoint-[0-9a-f]+).*", "$1");
      assertThat(
              service
                  .admin()
                  .post("/api/admin/signing-keys/" + leaked + "/revoke", "{\"reason\":\"leaked\"}")
                  .status())
          .isEqualTo(200);
      SignedNote served =
          SignedNote.parse(service.nobody().get("/api/audit/log/cosigned-checkpoint").text())
              .orElseThrow();
      assertThat(note).startsWith(served.text());
      VerifierKey key =
          VerifierKey.parse(service.nobody().get("/api/audit/log/verifier-key").text().strip())
              .orElseThrow();
      assertThat(served.lines()).hasSize(2);
      assertThat(served.lines().getFirst().keyHash()).isEqualTo(key.hash());
      assertThat(
              Ed25519.fastest()
                  .verify(key.key(), served.signedBytes(), served.lines().getFirst().signature()))
          .isTrue();
    }
  }

  @Test
  void aSettingThatNamesNoWitnessIsRefused() {
    for (String wrong :
        List.of(
            "x",
            "name+00000000+AAAA",
            one.verifierKey() + "A",
            one.verifierKey() + " ftp://witness.example",
            one.verifierKey() + " https://witness.example more")) {
      Assertions.assertThatThrownBy(
              () -> ServerConfig.from(new Env(Map.of("AUDIT_WITNESSES", wrong))))
          .isInstanceOf(ConfigFault.class)
          .hasMessageContaining("AUDIT_WITNESSES");
    }
  }
}
