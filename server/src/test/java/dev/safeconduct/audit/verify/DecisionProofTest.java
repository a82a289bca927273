package dev.safeconduct.audit.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.SignedText.digest;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.RawJson;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SignedText;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A decision is checked as a stranger would; see {@link SignedText}. */
final class DecisionProofTest {
  @AutoClose private static final TestService service = TestService.start();

  private static final String id = Questions.hosted(service, 5);

  @Test
  void everyFormOfADecisionIsSigned() throws IOException, GeneralSecurityException {
    for (String command : new String[] {"git status", "rm -rf / # ünïcödé \uD83D\uDE00"}) {
      JsonObject question = Questions.command(id, command);
      Reply full = service.owner().post(COMMAND, question);
      Reply minimal = service.owner().with("Prefer", "return=minimal").post(COMMAND, question);
      Reply dry = service.owner().post(COMMAND + "?dry_run=true", question);
      Reply stored = service.owner().get("/api/decisions/" + full.string("decision_id"));
      String nested = RawJson.member(RawJson.members(full.text()), "decision");
      assertThat(RawJson.member(RawJson.members(stored.text()), "decision"))
          .satisfies(text -> assertThat(Json.parse(text)).isEqualTo(Json.parse(nested)));
      for (String decision :
          new String[] {
            nested,
            minimal.text(),
            RawJson.member(RawJson.members(dry.text()), "decision"),
            RawJson.member(RawJson.members(stored.text()), "decision")
          }) {
        assertThat(SignedText.of(service, decision).isGood()).as(decision).isTrue();
      }
    }
  }

  @Test
  void everyFlippedBitIsNoticed() throws IOException, GeneralSecurityException {
    Reply reply = service.owner().post(COMMAND, Questions.command(id, "git status"));
    SignedText signed =
        SignedText.of(service, RawJson.member(RawJson.members(reply.text()), "decision"));
    for (int i = 0; i < signed.message().length; i++) {
      byte[] message = signed.message().clone();
      message[i] ^= (byte) (1 << (i % 8));
      assertThat(signed.withMessage(message).isGood()).as("byte " + i).isFalse();
    }
    for (int i = 0; i < signed.signature().length * 8; i++) {
      byte[] signature = signed.signature().clone();
      signature[i / 8] ^= (byte) (1 << (i % 8));
      assertThat(signed.withSignature(signature).isGood()).as("bit " + i).isFalse();
    }
  }

  @Test
  void digestsAreThoseOfWhatAnybodyCanRead() throws IOException, GeneralSecurityException {
    Reply reply =
        service
            .owner()
            .post(
                COMMAND,
                "{\"context\":{\"agent_id\":\""
                    + id
                    + "\",\"timeout\":3.0e1,\"x\":\"\\u00e9\\/\","
                    + "\"params\":{\"command\":\"ls\",\"other\":1}}}");
    assertThat(reply.string("passport_digest"))
        .isEqualTo(digest(service.owner().get("/api/passports/" + id).text()));
    assertThat(reply.string("policy_digest"))
        .isEqualTo(digest(service.nobody().get("/api/policies/system.command.execute.v1").text()));
    assertThat(reply.string("context_digest"))
        .isEqualTo(
            digest(
                "{\"agent_id\":\""
                    + id
                    + "\",\"command\":\"ls\",\"timeout\":30,\"x\":\"é/\","
                    + "\"params\":{\"command\":\"ls\",\"other\":1}}"));
  }

  @Test
  void aSentPassportIsDigestedAsReceived() throws IOException, GeneralSecurityException {
    String passport =
        "{\"agent_id\":\"ap_sent\",\"status\":\"active\",\"big\":1e21,\"small\":1e-7,\"minus\":-0,"
            + "\"long\":0.1000000000000000055,\"\\u20ac\":null,\"e\":[1.0,{\"b\":2,\"a\":[]}]}";
    Reply reply =
        service
            .owner()
            .post(COMMAND, "{\"passport\":" + passport + ",\"context\":{\"command\":\"ls\"}}");
    assertThat(reply.string("passport_digest")).isEqualTo(digest(passport));
    String before = service.owner().get("/api/passports/" + id).text();
    Questions.status(service, id, "suspended");
    Reply later = service.owner().post(COMMAND, Questions.command(id, "ls"));
    assertThat(later.string("passport_digest"))
        .isEqualTo(digest(service.owner().get("/api/passports/" + id).text()))
        .isNotEqualTo(digest(before));
    Questions.status(service, id, "active");
  }
}
