package dev.safeconduct.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.impl.BaseJWSProvider;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.signing.LinkTokens;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.Verifier;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The short-lived token of a session: a JWT (RFC 7519) signed with EdDSA (RFC 8037) by a key used
 * only for sessions. It names the session. The session's rights are looked up, so that its end
 * takes effect at once.
 */
public final class SessionTokens {
  public static final Duration LIFE = Duration.ofMinutes(15);

  private static final JOSEObjectType TYPE = new JOSEObjectType("session+jwt");
  private static final String AUDIENCE = "safeconduct-session";

  private final Supplier<Signer> signers;
  private final Verifier verifier;
  private final LinkTokens csrf;
  private final String issuer;
  private final InstantSource clock;

  /**
   * @param signers returns the key for a time
   * @param csrf creates the CSRF tokens of forms
   * @param issuer the service's public address
   */
  public SessionTokens(
      Supplier<Signer> signers,
      Verifier verifier,
      LinkTokens csrf,
      String issuer,
      InstantSource clock) {
    this.signers = signers;
    this.verifier = verifier;
    this.csrf = csrf;
    this.issuer = issuer;
    this.clock = clock;
  }

  /** Creates a token of the session, valid from now for {@link #LIFE}. */
  public String make(Session session) {
    Instant now = clock.instant();
    Signer signer = signers.get();
    var header = new JWSHeader.Builder(JWSAlgorithm.EdDSA).type(TYPE).keyID(signer.kid()).build();
    var claims =
        new JWTClaimsSet.Builder()
            .issuer(issuer)
            .audience(AUDIENCE)
            .subject(session.accountId())
            .jwtID(session.id())
            .issueTime(Date.from(now))
            .expirationTime(Date.from(now.plus(LIFE)))
            .build();
    var jwt = new SignedJWT(header, claims);
    try {
      jwt.sign(new ByPurposeKey(signer));
    } catch (JOSEException e) {
      throw new IllegalStateException("a session cannot be signed", e);
    }
    return jwt.serialize();
  }

  /** Returns the id of the token's session; empty for any token that is not valid now. */
  Optional<String> sessionId(String token) {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      JWSHeader header = jwt.getHeader();
      String kid = header.getKeyID();
      if (!JWSAlgorithm.EdDSA.equals(header.getAlgorithm())
          || !TYPE.equals(header.getType())
          || header.getCriticalParams() != null
          || kid == null
          || !verifier.verify(kid, jwt.getSigningInput(), jwt.getSignature().decode())) {
        return Optional.empty();
      }
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      Date expires = claims.getExpirationTime();
      return issuer.equals(claims.getIssuer())
              && claims.getAudience().equals(List.of(AUDIENCE))
              && expires != null
              && clock.instant().isBefore(expires.toInstant())
          ? Optional.ofNullable(claims.getJWTID())
          : Optional.empty();
    } catch (ParseException _) {
      return Optional.empty();
    }
  }

  /** Returns the CSRF token that a page of the session must send with a change. */
  public String csrf(String sessionId) {
    return csrf.make(sessionId, "csrf");
  }

  boolean isCsrf(String sessionId, String text) {
    return csrf.matches(text, sessionId, "csrf");
  }

  boolean isCsrf(Caller caller, String text) {
    return switch (caller) {
      case Caller.Person person -> isCsrf(person.sessionId(), text);
      case Caller.Admin admin ->
          admin.person().filter(person -> isCsrf(person.sessionId(), text)).isPresent();
      case Caller.Key _, Caller.Deploy _, Caller.Anonymous _ -> false;
    };
  }

  /**
   * Nimbus's own signer needs another library for Ed25519; this one uses the service's own signer.
   */
  private static final class ByPurposeKey extends BaseJWSProvider implements JWSSigner {
    private final Signer signer;

    ByPurposeKey(Signer signer) {
      super(Set.of(JWSAlgorithm.EdDSA));
      this.signer = signer;
    }

    @Override
    public Base64URL sign(JWSHeader header, byte[] input) {
      return Base64URL.encode(signer.sign(input));
    }
  }
}
