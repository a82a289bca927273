package dev.safeconduct.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.Verifier;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Tokens that carry an allow to where it is checked without asking: compact JWTs (RFC 7519) signed
 * with EdDSA (RFC 8037) by the key for decision tokens alone, of the type {@code decision+jwt} and
 * for the audience {@code safeconduct-decision}.
 */
public final class DecisionTokens {
  private static final JOSEObjectType TYPE = new JOSEObjectType("decision+jwt");
  private static final String AUDIENCE = "safeconduct-decision";
  private static final int MAX_LENGTH = 16 << 10;

  private final Signer signer;
  private final Verifier verifier;
  private final String issuer;
  private final InstantSource clock;

  /** {@code issuer}: the service's public address. */
  public DecisionTokens(Signer signer, Verifier verifier, String issuer, InstantSource clock) {
    this.signer = signer;
    this.verifier = verifier;
    this.issuer = issuer;
    this.clock = clock;
  }

  /**
   * A token.
   *
   * @param claims beside issuer, audience and times
   */
  public String make(JsonObject claims, Instant issuedAt, Instant expiresAt) {
    JsonObject payload =
        JsonObject.builder()
            .put("iss", issuer)
            .put("aud", AUDIENCE)
            .put("iat", issuedAt.getEpochSecond())
            .put("exp", expiresAt.getEpochSecond())
            .putAll(claims)
            .build();
    var header = new JWSHeader.Builder(JWSAlgorithm.EdDSA).type(TYPE).keyID(signer.kid()).build();
    var jws = new JWSObject(header, new Payload(Json.bytes(payload)));
    try {
      jws.sign(new ByPurposeKey(signer));
    } catch (JOSEException e) {
      throw new IllegalStateException("a decision token cannot be signed", e);
    }
    return jws.serialize();
  }

  /** A token that is ours: its claims, and whether its time is over. */
  public record Opened(JsonObject claims, boolean expired) {}

  /** The token's claims; empty for one that is not ours or was altered. */
  public Optional<Opened> open(String token) {
    if (token.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      JWSObject jws = JWSObject.parse(token);
      JWSHeader header = jws.getHeader();
      String kid = header.getKeyID();
      if (!JWSAlgorithm.EdDSA.equals(header.getAlgorithm())
          || !TYPE.equals(header.getType())
          || header.getCriticalParams() != null
          || kid == null
          || !verifier.verify(kid, jws.getSigningInput(), jws.getSignature().decode())) {
        return Optional.empty();
      }
      JsonObject claims = Json.parseObject(jws.getPayload().toBytes());
      return claims.string("iss").filter(issuer::equals).isPresent()
              && claims.string("aud").filter(AUDIENCE::equals).isPresent()
              && claims.get("exp") instanceof JsonNumber(double expires)
          ? Optional.of(new Opened(claims, clock.instant().getEpochSecond() >= expires))
          : Optional.empty();
    } catch (ParseException | JsonFault _) {
      return Optional.empty();
    }
  }
}
