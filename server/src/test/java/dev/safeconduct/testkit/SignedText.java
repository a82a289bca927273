package dev.safeconduct.testkit;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.erdtman.jcs.JsonCanonicalizer;

/**
 * A decision as a stranger checks it: by the public key set, the platform's own Ed25519 and
 * somebody else's RFC 8785.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record SignedText(byte[] message, byte[] signature, PublicKey key) {
  /** What stands before the 32 bytes of an Ed25519 key in X.509 form (RFC 8410 section 4). */
  private static final byte[] KEY_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  /** The decision as it was written, with {@code log_index} and {@code signature}. */
  public static SignedText of(TestService service, String decision)
      throws IOException, GeneralSecurityException {
    Map<String, String> members = new LinkedHashMap<>(RawJson.members(decision));
    String signature = RawJson.taken(members, "signature");
    members.remove("log_index");
    String kid = RawJson.member(members, "kid");
    return new SignedText(
        canonical(RawJson.object(members)),
        Base64.getDecoder()
            .decode(signature.substring("\"ed25519:".length(), signature.length() - 1)),
        publicKey(service, kid.substring(1, kid.length() - 1)));
  }

  public SignedText withMessage(byte[] other) {
    return new SignedText(other, signature, key);
  }

  public SignedText withSignature(byte[] other) {
    return new SignedText(message, other, key);
  }

  public boolean isGood() throws GeneralSecurityException {
    Signature verifier = Signature.getInstance("Ed25519", "SunEC");
    verifier.initVerify(key);
    verifier.update(message);
    try {
      return verifier.verify(signature);
    } catch (SignatureException e) {
      return false; // not even the form of a signature
    }
  }

  public static byte[] canonical(String json) throws IOException {
    return new JsonCanonicalizer(json).getEncodedUTF8();
  }

  /** The digest of the JSON by somebody else's RFC 8785, as decisions have it. */
  public static String digest(String json) throws IOException, GeneralSecurityException {
    return "sha256:"
        + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonical(json)));
  }

  private static PublicKey publicKey(TestService service, String kid)
      throws GeneralSecurityException {
    String keyId = kid.substring("oap:registry:".length());
    for (JsonValue key :
        service.nobody().get("/jwks.json").json().array("keys").orElse(JsonArray.EMPTY)) {
      if (key instanceof JsonObject jwk
          && (jwk.string("kid").equals(Optional.of(keyId))
              || jwk.string("kid").equals(Optional.of(kid)))) {
        if (!jwk.string("kty").equals(Optional.of("OKP"))
            || !jwk.string("crv").equals(Optional.of("Ed25519"))) {
          throw new AssertionError(jwk);
        }
        byte[] raw = Base64.getUrlDecoder().decode(jwk.string("x").orElseThrow());
        byte[] encoded = Arrays.copyOf(KEY_PREFIX, KEY_PREFIX.length + raw.length);
        System.arraycopy(raw, 0, encoded, KEY_PREFIX.length, raw.length);
        return KeyFactory.getInstance("Ed25519", "SunEC")
            .generatePublic(new X509EncodedKeySpec(encoded));
      }
    }
    throw new AssertionError("no key " + kid);
  }
}
