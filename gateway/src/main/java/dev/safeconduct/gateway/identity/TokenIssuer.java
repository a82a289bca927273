package dev.safeconduct.gateway.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.HttpConfig;
import dev.safeconduct.gateway.relay.Principal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.text.ParseException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the access tokens (JWT, RFC 9068) of one authorization server. The key set is a file, read
 * again when it changes.
 */
final class TokenIssuer {
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512);
  private static final int CLOCK_SKEW_SECONDS = 30;

  private final HttpConfig.Issuer config;
  private @Nullable FileTime readAt;
  private JWKSet set = new JWKSet();

  /**
   * Reads the key set.
   *
   * @throws ConfigException when the key set cannot be read
   */
  TokenIssuer(HttpConfig.Issuer config) throws ConfigException {
    this.config = config;
    try {
      keys();
    } catch (IOException | ParseException e) {
      throw new ConfigException(
          config.jwks() + " is not a set of public keys (JWK) that can be read.");
    }
  }

  String issuer() {
    return config.issuer();
  }

  /**
   * Returns whom a token stands for, when it is valid for the endpoint and its subject has a
   * passport.
   *
   * @param endpoint the endpoint's address
   */
  Optional<Principal> principal(String token, String endpoint) {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      if (!config.issuer().equals(jwt.getJWTClaimsSet().getIssuer())) {
        return Optional.empty();
      }
      var processor = new DefaultJWTProcessor<SecurityContext>();
      processor.setJWSKeySelector(
          new JWSVerificationKeySelector<>(ALGORITHMS, new ImmutableJWKSet<>(keys())));
      // The type of access tokens, and what issuers send that are older than RFC 9068.
      processor.setJWSTypeVerifier(
          new com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier<>(
              new com.nimbusds.jose.JOSEObjectType("at+jwt"),
              com.nimbusds.jose.JOSEObjectType.JWT,
              null));
      var claims =
          new DefaultJWTClaimsVerifier<SecurityContext>(
              Objects.requireNonNullElse(config.audience(), endpoint),
              new JWTClaimsSet.Builder().issuer(config.issuer()).build(),
              Set.of("sub", "exp"));
      claims.setMaxClockSkew(CLOCK_SKEW_SECONDS);
      processor.setJWTClaimsSetVerifier(claims);
      return passport(processor.process(jwt, null));
    } catch (ParseException | BadJOSEException | JOSEException | IOException e) {
      return Optional.empty();
    }
  }

  private Optional<Principal> passport(JWTClaimsSet claims) throws ParseException {
    String subject = claims.getSubject();
    String agentId = config.agents().get(subject);
    if (agentId == null && config.agentClaim() != null) {
      agentId = claims.getStringClaim(config.agentClaim());
    }
    return agentId == null || subject.isEmpty()
        ? Optional.empty()
        : Optional.of(new Principal("jwt:" + config.issuer() + "|" + subject, agentId));
  }

  private synchronized JWKSet keys() throws IOException, ParseException {
    FileTime changed = Files.getLastModifiedTime(config.jwks());
    if (!changed.equals(readAt)) {
      set = JWKSet.parse(Files.readString(config.jwks())).toPublicJWKSet();
      readAt = changed;
    }
    return set;
  }
}
