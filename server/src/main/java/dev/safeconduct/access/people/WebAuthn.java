package dev.safeconduct.access.people;

import com.webauthn4j.WebAuthnManager;
import com.webauthn4j.converter.AttestedCredentialDataConverter;
import com.webauthn4j.converter.util.ObjectConverter;
import com.webauthn4j.credential.CredentialRecordImpl;
import com.webauthn4j.data.AuthenticationData;
import com.webauthn4j.data.AuthenticationParameters;
import com.webauthn4j.data.PublicKeyCredentialParameters;
import com.webauthn4j.data.PublicKeyCredentialType;
import com.webauthn4j.data.RegistrationData;
import com.webauthn4j.data.RegistrationParameters;
import com.webauthn4j.data.attestation.authenticator.AttestedCredentialData;
import com.webauthn4j.data.attestation.authenticator.AuthenticatorData;
import com.webauthn4j.data.attestation.statement.COSEAlgorithmIdentifier;
import com.webauthn4j.data.attestation.statement.NoneAttestationStatement;
import com.webauthn4j.data.client.CollectedClientData;
import com.webauthn4j.data.client.challenge.DefaultChallenge;
import com.webauthn4j.server.ServerProperty;
import com.webauthn4j.verifier.exception.MaliciousCounterValueException;
import com.webauthn4j.verifier.exception.UserNotVerifiedException;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.LinkTokens;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The ceremonies of W3C Web Authentication Level 3: the options that a page gives its browser, and
 * the check of what the browser answers (sections 7.1 and 7.2).
 *
 * <p>A challenge is an expiry and a random number with a code over them, the ceremony and the
 * browser. Any node can so check what another began, and nothing is stored for challenges that
 * nobody answers; that one was answered is stored until it expires.
 */
public final class WebAuthn {
  static final Duration LIFE = Duration.ofMinutes(5);

  private static final int MOST_TEXT = 20_000;
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /** EdDSA, ECDSA on P-256 and RSA, in the order of preference (RFC 9053, RFC 8812). */
  private static final List<COSEAlgorithmIdentifier> ALGORITHMS =
      List.of(
          COSEAlgorithmIdentifier.EdDSA,
          COSEAlgorithmIdentifier.ES256,
          COSEAlgorithmIdentifier.RS256);

  /** Loaded when the first passkey is used: most services start sooner without it. */
  private static final class Library {
    static final ObjectConverter OBJECTS = new ObjectConverter();
    static final WebAuthnManager MANAGER = WebAuthnManager.createNonStrictWebAuthnManager(OBJECTS);
    static final AttestedCredentialDataConverter CREDENTIALS =
        new AttestedCredentialDataConverter(OBJECTS);
  }

  private final URI baseUrl;
  private final LinkTokens tokens;
  private final RandomGenerator random;
  private final InstantSource clock;

  /**
   * @param baseUrl the service's public address: its host is the relying party's id
   * @param tokens creates the challenges
   */
  public WebAuthn(URI baseUrl, LinkTokens tokens, RandomGenerator random, InstantSource clock) {
    this.baseUrl = baseUrl;
    this.tokens = tokens;
    this.random = random;
    this.clock = clock;
  }

  /**
   * A challenge that was answered.
   *
   * @param id names it
   */
  record Challenge(String id, Instant expires) {}

  /**
   * A new credential.
   *
   * @param id in base64url
   * @param credential its attested credential data, in base64url
   */
  record Registered(
      String id, String credential, long signCount, boolean backupEligible, Challenge challenge) {}

  /** A passkey whose holder has answered, and the authenticator's counter. */
  record Asserted(Passkey passkey, long signCount, Challenge challenge) {}

  /**
   * Returns whether browsers offer passkeys at the address: the id of a relying party is a domain,
   * never an IP address, and the page's origin is secure.
   */
  public static boolean isPossible(URI baseUrl) {
    String host = String.valueOf(baseUrl.getHost()).toLowerCase(Locale.ROOT);
    boolean local = host.equals("localhost") || host.endsWith(".localhost");
    boolean address = host.startsWith("[") || host.matches("[0-9.]+");
    return !address && (local || "https".equalsIgnoreCase(baseUrl.getScheme()));
  }

  /** Returns whether people can use passkeys at the service's address. */
  public boolean isPossible() {
    return isPossible(baseUrl);
  }

  /** Returns the options of a registration ({@code PublicKeyCredentialCreationOptionsJSON}). */
  public JsonObject creation(String binding, Account account, List<Passkey> known) {
    return JsonObject.builder()
        .put("challenge", challenge("register " + binding))
        .put("rp", JsonObject.builder().put("id", rpId()).put("name", "Safeconduct").build())
        .put(
            "user",
            JsonObject.builder()
                .put("id", handle(account.id()))
                .put("name", account.email().value())
                .put("displayName", account.displayName())
                .build())
        .put(
            "pubKeyCredParams",
            JsonArray.of(
                ALGORITHMS.stream()
                    .map(each ->
                        JsonObject.builder()
                            .put("type", "public-key")
                            .put("alg", each.getValue())
                            .build())
                    .toArray(JsonObject[]::new)))
        .put("excludeCredentials", credentials(known))
        .put(
            "authenticatorSelection",
            JsonObject.builder()
                .put("residentKey", "preferred")
                .put("userVerification", "preferred")
                .build())
        .put("attestation", "none")
        .put("timeout", LIFE.toMillis())
        .build();
  }

  /**
   * Returns the options of a sign-in ({@code PublicKeyCredentialRequestOptionsJSON}).
   *
   * @param known the passkeys of the person; empty if the person is to be found by the passkey
   */
  public JsonObject request(String binding, List<Passkey> known) {
    return JsonObject.builder()
        .put("challenge", challenge("sign-in " + binding))
        .put("rpId", rpId())
        .put("allowCredentials", credentials(known))
        .put("userVerification", known.isEmpty() ? "required" : "discouraged")
        .put("timeout", LIFE.toMillis())
        .build();
  }

  /**
   * Checks the answer to a registration.
   *
   * @throws ProblemException 400 for an answer that is not valid, 401 for one that is too late
   */
  Registered register(String json, String binding) {
    try {
      RegistrationData data = Library.MANAGER.parseRegistrationResponseJSON(demandShort(json));
      byte[] challenge = challenge(data.getCollectedClientData());
      Challenge answered = open(challenge, "register " + binding);
      Library.MANAGER.verify(
          data,
          new RegistrationParameters(
              server(challenge),
              ALGORITHMS.stream()
                  .map(each ->
                      new PublicKeyCredentialParameters(PublicKeyCredentialType.PUBLIC_KEY, each))
                  .toList(),
              false,
              true));
      AuthenticatorData<?> made =
          demand(demand(data.getAttestationObject()).getAuthenticatorData());
      AttestedCredentialData credential = demand(made.getAttestedCredentialData());
      return new Registered(
          BASE64.encodeToString(credential.getCredentialId()),
          BASE64.encodeToString(Library.CREDENTIALS.convert(credential)),
          made.getSignCount(),
          made.isFlagBE(),
          answered);
    } catch (ProblemException e) {
      throw e;
    } catch (RuntimeException _) {
      // The library's parser fails in many ways at what is not of a browser.
      throw ProblemException.invalid(
          "credential", "The browser's answer is not a valid new passkey.");
    }
  }

  /**
   * Checks the answer to a sign-in.
   *
   * @param owner the person who signs in; empty if the passkey says who, which then must have
   *     verified them, for example by a PIN
   * @throws ProblemException 401 for an answer that is not valid
   */
  Asserted signIn(
      String json,
      String binding,
      Optional<String> owner,
      Function<String, Optional<Passkey>> passkeys) {
    try {
      AuthenticationData data = Library.MANAGER.parseAuthenticationResponseJSON(demandShort(json));
      byte[] challenge = challenge(data.getCollectedClientData());
      Challenge answered = open(challenge, "sign-in " + binding);
      String handle =
          Optional.ofNullable(data.getUserHandle())
              .map(bytes -> new String(bytes, StandardCharsets.US_ASCII))
              .orElse("");
      Passkey passkey =
          passkeys
              .apply(BASE64.encodeToString(data.getCredentialId()))
              .filter(found -> isOf(found, owner, handle))
              .orElseThrow(() -> refused("This passkey is not registered here."));
      Library.MANAGER.verify(
          data,
          new AuthenticationParameters(
              server(challenge), stored(passkey), null, owner.isEmpty(), true));
      return new Asserted(passkey, demand(data.getAuthenticatorData()).getSignCount(), answered);
    } catch (ProblemException e) {
      throw e;
    } catch (UserNotVerifiedException _) {
      throw refused(
          "The passkey has not checked who you are, by a PIN or a fingerprint. Sign in with your"
              + " password, then use it as the second step.");
    } catch (MaliciousCounterValueException _) {
      throw copied();
    } catch (RuntimeException _) {
      // The library's parser fails in many ways at what is not of a browser.
      throw refused("The passkey's answer is not valid. Try again.");
    }
  }

  /** The problem of a passkey whose counter did not grow. */
  static ProblemException copied() {
    return refused(
        "The passkey's counter did not grow, so the passkey may have been copied. Sign in another"
            + " way and remove it.");
  }

  private static ProblemException refused(String why) {
    return ProblemException.unauthorized(why);
  }

  /** The problem of an answer that is too late, or was sent before. */
  static ProblemException expired() {
    return refused("The request is older than five minutes or was answered before. Try again.");
  }

  private static String demandShort(String json) {
    if (json.length() > MOST_TEXT) {
      throw refused("The browser's answer is too long.");
    }
    return json;
  }

  /**
   * The passkey must be the person's; without one, the authenticator names whose it is.
   *
   * @param handle the user handle; empty if the authenticator sent none
   */
  private static boolean isOf(Passkey found, Optional<String> owner, String handle) {
    boolean named = handle.equals(found.accountId());
    return owner.isEmpty()
        ? named
        : owner.get().equals(found.accountId()) && (named || handle.isEmpty());
  }

  private static CredentialRecordImpl stored(Passkey passkey) {
    return new CredentialRecordImpl(
        new NoneAttestationStatement(),
        null,
        passkey.backupEligible(),
        null,
        passkey.signCount(),
        Library.CREDENTIALS.convert(Base64.getUrlDecoder().decode(passkey.credential())),
        null,
        null,
        null,
        Set.of());
  }

  private ServerProperty server(byte[] challenge) {
    return ServerProperty.builder()
        .origin(new com.webauthn4j.data.client.Origin(origin()))
        .rpId(rpId())
        .challenge(new DefaultChallenge(challenge))
        .build();
  }

  private String rpId() {
    return baseUrl.getHost().toLowerCase(Locale.ROOT);
  }

  private String origin() {
    return baseUrl.getScheme()
        + "://"
        + rpId()
        + (baseUrl.getPort() < 0 ? "" : ":" + baseUrl.getPort());
  }

  /** The id of the account as its user handle: 36 letters that tell nothing of the person. */
  private static String handle(String accountId) {
    return BASE64.encodeToString(accountId.getBytes(StandardCharsets.US_ASCII));
  }

  private static JsonArray credentials(List<Passkey> passkeys) {
    return JsonArray.of(
        passkeys.stream()
            .map(
                each -> JsonObject.builder().put("type", "public-key").put("id", each.id()).build())
            .toArray(JsonObject[]::new));
  }

  private String challenge(String ceremony) {
    byte[] bytes = new byte[24];
    random.nextBytes(bytes);
    String id = BASE64.encodeToString(bytes) + "." + clock.instant().plus(LIFE).toEpochMilli();
    return tokens.make(id, ceremony);
  }

  private static byte[] challenge(@Nullable CollectedClientData data) {
    return demand(demand(data).getChallenge()).getValue();
  }

  private Challenge open(byte[] challenge, String ceremony) {
    String token = BASE64.encodeToString(challenge);
    String id =
        LinkTokens.id(token)
            .filter(text -> tokens.matches(token, text, ceremony))
            .orElseThrow(WebAuthn::expired);
    Instant expires = Instant.ofEpochMilli(Long.parseLong(id.substring(id.indexOf('.') + 1)));
    if (!clock.instant().isBefore(expires)) {
      throw expired();
    }
    return new Challenge(id, expires);
  }

  private static <T> T demand(@Nullable T value) {
    if (value == null) {
      throw refused("The browser's answer is not complete.");
    }
    return value;
  }
}
