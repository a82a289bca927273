package dev.safeconduct;

import static dev.safeconduct.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.RawJson;
import dev.safeconduct.testkit.Reply;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.erdtman.jcs.JsonCanonicalizer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A decision is checked as a stranger would: by the public key set, the platform's own Ed25519 and
 * somebody else's RFC 8785.
 */
final class DecisionProofTest {
  /** What stands before the 32 bytes of an Ed25519 key in X.509 form (RFC 8410 section 4). */
  private static final byte[] KEY_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private static TestService service;
  private static String id;

  @BeforeAll
  static void start() {
    service = TestService.start();
    id = Questions.hosted(service, 5);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static PublicKey publicKey(String kid) throws GeneralSecurityException {
    String keyId = kid.substring("oap:registry:".length());
    for (JsonValue key :
        service.nobody().get("/jwks.json").json().array("keys").orElse(JsonArray.EMPTY)) {
      if (key instanceof JsonObject jwk
          && (jwk.string("kid").equals(Optional.of(keyId))
              || jwk.string("kid").equals(Optional.of(kid)))) {
        assertThat(jwk.string("kty")).contains("OKP");
        assertThat(jwk.string("crv")).contains("Ed25519");
        byte[] raw = Base64.getUrlDecoder().decode(jwk.string("x").orElseThrow());
        byte[] encoded = java.util.Arrays.copyOf(KEY_PREFIX, KEY_PREFIX.length + raw.length);
        System.arraycopy(raw, 0, encoded, KEY_PREFIX.length, raw.length);
        return KeyFactory.getInstance("Ed25519", "SunEC")
            .generatePublic(new X509EncodedKeySpec(encoded));
      }
    }
    throw new AssertionError("no key " + kid);
  }

  private static boolean verified(PublicKey key, byte[] message, byte[] signature)
      throws GeneralSecurityException {
    Signature verifier = Signature.getInstance("Ed25519", "SunEC");
    verifier.initVerify(key);
    verifier.update(message);
    try {
      return verifier.verify(signature);
    } catch (java.security.SignatureException e) {
      return false; // not even the form of a signature
    }
  }

  private static byte[] canonical(String json) throws IOException {
    return new JsonCanonicalizer(json).getEncodedUTF8();
  }

  private static String digest(String json) throws IOException, GeneralSecurityException {
    return "sha256:"
        + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonical(json)));
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Signed(byte[] message, byte[] signature, PublicKey key) {
    static Signed of(String decision) throws IOException, GeneralSecurityException {
      Map<String, String> members = new LinkedHashMap<>(RawJson.members(decision));
      String signature = RawJson.taken(members, "signature");
      members.remove("log_index");
      String kid = RawJson.member(members, "kid");
      return new Signed(
          canonical(RawJson.object(members)),
          Base64.getDecoder()
              .decode(signature.substring("\"ed25519:".length(), signature.length() - 1)),
          publicKey(kid.substring(1, kid.length() - 1)));
    }
  }

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
        Signed signed = Signed.of(decision);
        assertThat(verified(signed.key(), signed.message(), signed.signature()))
            .as(decision)
            .isTrue();
      }
    }
  }

  @Test
  void everyFlippedBitIsNoticed() throws IOException, GeneralSecurityException {
    Reply reply = service.owner().post(COMMAND, Questions.command(id, "git status"));
    Signed signed = Signed.of(RawJson.member(RawJson.members(reply.text()), "decision"));
    for (int i = 0; i < signed.message().length; i++) {
      byte[] message = signed.message().clone();
      message[i] ^= (byte) (1 << (i % 8));
      assertThat(verified(signed.key(), message, signed.signature())).as("byte " + i).isFalse();
    }
    for (int i = 0; i < signed.signature().length * 8; i++) {
      byte[] signature = signed.signature().clone();
      signature[i / 8] ^= (byte) (1 << (i % 8));
      assertThat(verified(signed.key(), signed.message(), signature)).as("bit " + i).isFalse();
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
