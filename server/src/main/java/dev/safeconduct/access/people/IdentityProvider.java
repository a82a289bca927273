package dev.safeconduct.access.people;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWT;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.LogoutRequest;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.claims.AuthorizedParty;
import com.nimbusds.openid.connect.sdk.claims.IDTokenClaimsSet;
import com.nimbusds.openid.connect.sdk.claims.LogoutTokenClaimsSet;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import com.nimbusds.openid.connect.sdk.validators.LogoutTokenValidator;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.EmailAddress;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity provider, of which this service is a client (OpenID Connect Core 1.0; RFC 9700). Its
 * metadata and keys are read when they are first needed and cached. A provider that cannot be
 * reached delays only people who sign in, and not the start.
 */
public final class IdentityProvider implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdentityProvider.class);

  /** Signatures by a private key. No secret of ours, and no absence of a signature, is one. */
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  private static final Duration METADATA_LIFE = Duration.ofHours(1);
  private static final Duration KEYS_LIFE = Duration.ofMinutes(15);
  private static final Duration KEYS_WAIT = Duration.ofSeconds(12);

  /** An unknown key of a token is looked for this often at most: anybody can send such a token. */
  private static final Duration KEYS_EVERY = Duration.ofSeconds(10);

  private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

  /** As the library tolerates. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

  /** Of a subject, a session and a notice: they are in indexes. */
  private static final int MOST_NAME = 255;

  private static final int MOST_ID_TOKEN_HINT = 4000;

  private final OidcConfig config;
  private final URI redirect;
  private final URI afterLogout;
  private final InstantSource clock;
  private final ProviderHttp http;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile @Nullable Discovered discovered;
  private volatile Instant nextTry = Instant.MIN;

  /** Whether the last attempt to read the metadata failed for the certificate. */
  private volatile boolean untrusted;

  /**
   * @param redirect where the provider sends browsers back to after a sign-in
   * @param afterLogout the same after a sign-out
   */
  public IdentityProvider(OidcConfig config, URI redirect, URI afterLogout, InstantSource clock) {
    this.config = config;
    this.redirect = redirect;
    this.afterLogout = afterLogout;
    this.clock = clock;
    http = new ProviderHttp(config.authorities().map(OidcConfig.Authorities::tls));
  }

  private record Discovered(
      OIDCProviderMetadata metadata,
      JWSVerificationKeySelector<SecurityContext> keys,
      Instant until) {}

  /**
   * A notice that a session at the provider has ended.
   *
   * @param id of the notice, which is accepted once
   * @param subject whose session it was; empty when only the session is named
   * @param session empty for all sessions of the subject
   */
  record Logout(String id, Instant expires, Optional<String> subject, Optional<String> session) {}

  OidcConfig config() {
    return config;
  }

  /**
   * Returns where to send a browser to sign in.
   *
   * @throws ProblemException 503 when the provider cannot be reached
   */
  URI signInAddress(String state, String nonce, String verifier) {
    return new AuthenticationRequest.Builder(
            ResponseType.CODE,
            new Scope(config.scopes().toArray(String[]::new)),
            new ClientID(config.client().id()),
            redirect)
        .endpointURI(discovered().metadata().getAuthorizationEndpointURI())
        .state(new State(state))
        .nonce(new Nonce(nonce))
        .codeChallenge(new CodeVerifier(verifier), CodeChallengeMethod.S256)
        .build()
        .toURI();
  }

  /** Checks that the answer is of this provider and of no other (RFC 9207). */
  void demandIssuer(Optional<String> sent) {
    boolean required =
        discovered().metadata().supportsAuthorizationResponseIssuerParam() || sent.isPresent();
    if (required && !sent.equals(Optional.of(config.issuer()))) {
      throw refused("the answer names another issuer");
    }
  }

  /**
   * Exchanges the code and returns who has signed in.
   *
   * @throws ProblemException 401 for a code or token that is not valid, 503 when the provider
   *     cannot be reached
   */
  ProviderIdentity identity(String code, String nonce, String verifier) {
    Discovered provider = discovered();
    try {
      var request =
          new TokenRequest.Builder(
                  provider.metadata().getTokenEndpointURI(),
                  authentication(provider.metadata()),
                  new AuthorizationCodeGrant(
                      new AuthorizationCode(code), redirect, new CodeVerifier(verifier)))
              .build();
      TokenResponse response = OIDCTokenResponseParser.parse(request.toHTTPRequest().send(http));
      if (!response.indicatesSuccess()) {
        throw failed(response.toErrorResponse().getErrorObject());
      }
      if (!(response.toSuccessResponse() instanceof OIDCTokenResponse tokens)
          || tokens.getOIDCTokens().getIDToken() == null) {
        throw refused("the answer has no ID token");
      }
      JWT idToken = tokens.getOIDCTokens().getIDToken();
      IDTokenClaimsSet claims =
          new IDTokenValidator(
                  new Issuer(config.issuer()),
                  new ClientID(config.client().id()),
                  provider.keys(),
                  null)
              .validate(idToken, new Nonce(nonce));
      return identity(provider, tokens.getOIDCTokens().getAccessToken(), idToken, claims);
    } catch (RateLimitReachedException e) {
      throw refused("its key is not known");
    } catch (IOException | KeySourceException e) {
      throw unreachable(e);
    } catch (ParseException | BadJOSEException | JOSEException | IllegalArgumentException e) {
      // The library refuses empty identifiers as arguments that are not valid.
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  private ClientAuthentication authentication(OIDCProviderMetadata metadata) {
    var id = new ClientID(config.client().id());
    var secret = new Secret(config.client().secret().reveal());
    List<ClientAuthenticationMethod> methods = metadata.getTokenEndpointAuthMethods();
    boolean onlyPost =
        methods != null
            && methods.contains(ClientAuthenticationMethod.CLIENT_SECRET_POST)
            && !methods.contains(ClientAuthenticationMethod.CLIENT_SECRET_BASIC);
    return onlyPost ? new ClientSecretPost(id, secret) : new ClientSecretBasic(id, secret);
  }

  private ProviderIdentity identity(
      Discovered provider, @Nullable AccessToken access, JWT idToken, IDTokenClaimsSet claims)
      throws IOException, ParseException {
    String subject = claims.getSubject().getValue();
    Optional<String> session = Optional.ofNullable(claims.getSessionID()).map(id -> id.getValue());
    if (subject.isBlank() || Math.max(subject.length(), session.orElse("").length()) > MOST_NAME) {
      throw refused("the subject must have 1, and it and the session id at most 255 characters");
    }
    demandOurs(claims);
    demandBegun(claims);
    Map<String, Object> sent = claims.toJSONObject();
    Map<String, Object> more =
        access == null || (hasVerified(sent) && sent.containsKey(config.groupsClaim()))
            ? Map.of()
            : userInfo(provider, access, subject);
    // Both from one place: a second answer does not verify the address of the first.
    Map<String, Object> email = hasVerified(sent) ? sent : more;
    Map<String, Object> groups = sent.containsKey(config.groupsClaim()) ? sent : more;
    Map<String, Object> named = sent.containsKey("name") ? sent : more;
    return new ProviderIdentity(
        config.issuer(),
        subject,
        verifiedEmail(email),
        named.get("name") instanceof String name ? name : "",
        groups(groups.get(config.groupsClaim())),
        session,
        idToken.serialize());
  }

  /** A token for several clients names the one it was issued to (Core section 3.1.3.7). */
  private void demandOurs(IDTokenClaimsSet claims) {
    AuthorizedParty party = claims.getAuthorizedParty();
    if (party == null
        ? claims.getAudience().size() > 1
        : !party.getValue().equals(config.client().id())) {
      throw refused("the ID token was issued to another client");
    }
  }

  /** The library checks the other times of an ID token, but not this one (RFC 7519 4.1.5). */
  private void demandBegun(IDTokenClaimsSet claims) {
    Date begins = claims.getDateClaim("nbf");
    if (begins != null && clock.instant().plus(CLOCK_SKEW).isBefore(begins.toInstant())) {
      throw refused("the ID token is not valid yet");
    }
  }

  /** Reads what is not in the ID token; an answer about anybody else is refused. */
  private Map<String, Object> userInfo(Discovered provider, AccessToken access, String subject)
      throws IOException, ParseException {
    URI address = provider.metadata().getUserInfoEndpointURI();
    if (address == null) {
      return Map.of();
    }
    UserInfoResponse response =
        UserInfoResponse.parse(new UserInfoRequest(address, access).toHTTPRequest().send(http));
    if (!response.indicatesSuccess() || response.toSuccessResponse().getUserInfo() == null) {
      throw refused("it does not tell the person's email address and groups");
    }
    var info = response.toSuccessResponse().getUserInfo();
    if (!info.getSubject().getValue().equals(subject)) {
      throw refused("the UserInfo endpoint answers about another person");
    }
    return info.toJSONObject();
  }

  private static boolean hasVerified(Map<String, Object> claims) {
    return claims.containsKey("email") && claims.containsKey("email_verified");
  }

  /** Some providers write the truth as text. */
  private static Optional<EmailAddress> verifiedEmail(Map<String, Object> claims) {
    Object verified = claims.get("email_verified");
    return claims.get("email") instanceof String email
            && (Boolean.TRUE.equals(verified) || "true".equals(verified))
        ? EmailAddress.parse(email)
        : Optional.empty();
  }

  private static Set<String> groups(@Nullable Object claim) {
    var groups = new HashSet<String>();
    if (claim instanceof String one) {
      groups.add(one);
    } else if (claim instanceof Collection<?> several) {
      several.forEach(each -> groups.add(String.valueOf(each)));
    }
    return groups;
  }

  /** Returns where the browser also ends its session at the provider; empty if it offers none. */
  Optional<URI> logoutAddress(Optional<String> idToken) {
    try {
      URI address = discovered().metadata().getEndSessionEndpointURI();
      if (address == null || !OidcConfig.isSafe(address)) {
        return Optional.empty();
      }
      String hint = idToken.filter(token -> token.length() <= MOST_ID_TOKEN_HINT).orElse("");
      return Optional.of(
          new LogoutRequest(
                  address,
                  hint.isEmpty() ? null : JWTParser.parse(hint),
                  null,
                  new ClientID(config.client().id()),
                  afterLogout,
                  null,
                  null)
              .toURI());
    } catch (ProblemException | java.text.ParseException e) {
      LOG.warn("The session at the identity provider is not ended: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Returns the notice in a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.6).
   *
   * @throws ProblemException 400 for a token that is not valid, 503 when the keys cannot be read
   */
  Logout logout(String token) {
    Discovered provider = discovered();
    try {
      LogoutTokenClaimsSet claims =
          new LogoutTokenValidator(
                  new Issuer(config.issuer()),
                  new ClientID(config.client().id()),
                  false, // many providers send no type
                  provider.keys(),
                  null)
              .validate(JWTParser.parse(token));
      if (claims.getJWTID().getValue().length() > MOST_NAME) {
        throw ProblemException.invalid(
            "logout_token",
            "The id of the logout token is longer than " + MOST_NAME + " characters.");
      }
      return new Logout(
          claims.getJWTID().getValue(),
          claims.getExpirationTime().toInstant(),
          Optional.ofNullable(claims.getSubject()).map(subject -> subject.getValue()),
          Optional.ofNullable(claims.getSessionID()).map(session -> session.getValue()));
    } catch (RateLimitReachedException e) {
      throw ProblemException.invalid("logout_token", "The key of the logout token is not known.");
    } catch (KeySourceException e) {
      throw unreachable(e);
    } catch (BadJOSEException
        | JOSEException
        | java.text.ParseException
        | IllegalArgumentException e) {
      throw ProblemException.invalid(
          "logout_token", "The logout token is not valid: " + e.getMessage() + ".");
    }
  }

  /**
   * One request reads the metadata. Meanwhile the others use what was true an hour ago, which is
   * better than nobody signing in; where nothing is known yet they wait for that one answer.
   */
  private Discovered discovered() {
    Discovered known = discovered;
    if (known != null && (clock.instant().isBefore(known.until()) || !reading.tryLock())) {
      return known;
    }
    if (known == null) {
      reading.lock();
    }
    try {
      return read();
    } finally {
      reading.unlock();
    }
  }

  private Discovered read() {
    Instant now = clock.instant();
    Discovered known = discovered;
    if (known != null && now.isBefore(known.until())) {
      return known;
    }
    if (now.isBefore(nextTry)) {
      return stale(known);
    }
    try {
      Discovered read = discover(now);
      discovered = read;
      return read;
    } catch (IOException | ParseException | IllegalArgumentException e) {
      LOG.warn("The identity provider's metadata cannot be read: {}", e.toString());
      untrusted = isUntrusted(e);
      nextTry = clock.instant().plus(TRY_AGAIN); // an attempt may take longer than the pause
      return stale(known);
    }
  }

  private Discovered stale(@Nullable Discovered known) {
    if (known == null) {
      throw unreachable(untrusted);
    }
    return known;
  }

  private Discovered discover(Instant now) throws IOException, ParseException {
    URI address =
        URI.create(config.issuer().replaceAll("/+$", "") + "/.well-known/openid-configuration");
    OIDCProviderMetadata metadata =
        OIDCProviderMetadata.parse(http.retrieveResource(address.toURL()).getContent());
    if (!metadata.getIssuer().getValue().equals(config.issuer())) {
      throw new IOException(
          address + " is about the issuer " + metadata.getIssuer() + ", not " + config.issuer());
    }
    demandSafe("authorization_endpoint", metadata.getAuthorizationEndpointURI());
    demandSafe("token_endpoint", metadata.getTokenEndpointURI());
    demandSafe("jwks_uri", metadata.getJWKSetURI());
    return new Discovered(metadata, keys(metadata.getJWKSetURI()), now.plus(METADATA_LIFE));
  }

  private JWSVerificationKeySelector<SecurityContext> keys(URI address)
      throws MalformedURLException {
    JWKSource<SecurityContext> source =
        JWKSourceBuilder.create(address.toURL(), http)
            .cache(KEYS_LIFE.toMillis(), KEYS_WAIT.toMillis())
            .refreshAheadCache(false)
            .rateLimited(KEYS_EVERY.toMillis())
            .build();
    return new JWSVerificationKeySelector<>(ALGORITHMS, source);
  }

  private static void demandSafe(String name, @Nullable URI address) throws IOException {
    if (address == null || !OidcConfig.isSafe(address)) {
      throw new IOException("its " + name + " is not an https address");
    }
  }

  private ProblemException refused(String why) {
    LOG.warn("A sign-in at the identity provider is refused: {}", why);
    return ProblemException.unauthorized(
        "The answer of " + config.name() + " is not valid, so you are not signed in.");
  }

  /** A wrong client secret and a code that is not valid look the same to people, not in the log. */
  private ProblemException failed(@Nullable ErrorObject error) {
    int status = error == null ? 0 : error.getHTTPStatusCode();
    String code = error == null || error.getCode() == null ? "" : error.getCode();
    String named = code.matches("[A-Za-z0-9_.-]{1,60}") ? code : "without an error code";
    return refused("the token endpoint answers with the status " + status + ", " + named);
  }

  private ProblemException unreachable(Exception cause) {
    LOG.warn("The identity provider cannot be reached: {}", cause.toString());
    return unreachable(isUntrusted(cause));
  }

  private static boolean isUntrusted(Throwable fault) {
    return fault instanceof SSLException
        || (fault.getCause() != null && isUntrusted(fault.getCause()));
  }

  private ProblemException unreachable(boolean untrusted) {
    return ProblemException.unavailable(
        config.name()
            + (untrusted
                ? " cannot be reached over TLS, so nobody can sign in there now. The operator"
                    + " finds the reason in the log of this service."
                : " cannot be reached, so nobody can sign in there now. Try again."),
        (int) TRY_AGAIN.toSeconds());
  }

  @Override
  public void close() {
    http.close();
  }
}
