package dev.safeconduct.verify.token;

import dev.safeconduct.access.ApiKeyValidity;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.Verifier;
import dev.safeconduct.verify.PackResolver;
import dev.safeconduct.verify.Subject;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.TemplateChain;
import dev.safeconduct.verify.VerifyRequest;
import dev.safeconduct.verify.VerifyResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Issues and checks an allow as a compact JWT (RFC 7519, EdDSA of RFC 8037) for offline use. A key
 * only for decision tokens signs it. The token names its read set, so that holders can drop it when
 * an entry changes.
 */
public final class DecisionTokens {
  /** The maximum token lifetime. A suspension takes effect within it even without a check. */
  static final Duration MOST_LIFE = Duration.ofSeconds(30);

  static final String TYPE = "decision+jwt";
  private static final String CLIENT_DIGEST = "client_digest";
  private static final int MOST_LENGTH = 8 * 1024;

  /** The decision's members that the token contains under the same name. */
  private static final List<String> COPIED =
      List.of(
          DecisionJson.DECISION_ID,
          DecisionJson.POLICY_ID,
          DecisionJson.POLICY_DIGEST,
          DecisionJson.PASSPORT_DIGEST,
          DecisionJson.CONTEXT_DIGEST,
          DecisionJson.ASSURANCE_LEVEL,
          DecisionJson.CREATED_AT,
          DecisionJson.OWNER_ID);

  private final Supplier<Signer> signers;
  private final Verifier verifier;
  private final SubjectResolver subjects;
  private final PackResolver packs;
  private final ApiKeyValidity standing;
  private final Halts halts;
  private final String issuer;
  private final InstantSource clock;

  /** {@code issuer}: the service's public address. */
  public DecisionTokens(
      Supplier<Signer> signers,
      Verifier verifier,
      SubjectResolver subjects,
      PackResolver packs,
      ApiKeyValidity standing,
      Halts halts,
      String issuer,
      InstantSource clock) {
    this.signers = signers;
    this.verifier = verifier;
    this.subjects = subjects;
    this.packs = packs;
    this.standing = standing;
    this.halts = halts;
    this.issuer = issuer;
    this.clock = clock;
  }

  /** A token, or the reason why there is no token. */
  sealed interface Made {
    /** The compact JWT. */
    record Token(String text) implements Made {}

    /** No token, with the reason as one word for programs. */
    record None(String why) implements Made {}
  }

  /** Returns the token of a decision. Only an allow that may be cached has a token. */
  Made make(VerifyResult result, VerifyRequest question) {
    Decision decision = result.decision();
    if (!decision.allow()) {
      return new Made.None("denied");
    }
    if (!decision.allowedByPolicy()) {
      return new Made.None("observed"); // it must end with observe mode
    }
    if (decision.validity().dryRun()) {
      return new Made.None("dry_run");
    }
    if (question.reserve()) {
      return new Made.None("reserved"); // the token would remain valid after a release
    }
    if (!result.subject().isHosted() || !result.judged().isHosted()) {
      return new Made.None("not_hosted");
    }
    PolicyPack pack = result.judged().pack();
    if (pack.stateful() || pack.cacheSeconds() == 0) {
      return new Made.None("counted");
    }
    Instant ends = decision.validity().expiresAt();
    // Read before the check below: a change after it ends the token.
    ApiKeyValidity.Bounds bounds = standing.bounds(question.caller());
    if (!standing.isValid(question.caller(), question.sender().clientAddress())) {
      return new Made.None("key_revoked");
    }
    Instant expires =
        bounds.end().filter(ends::isAfter).orElse(ends).truncatedTo(ChronoUnit.SECONDS);
    if (!clock.instant().isBefore(expires)) {
      return new Made.None("expired"); // a replayed decision, or the passport's last second
    }
    Signer signer = signers.get();
    JsonObject header =
        JsonObject.builder().put("alg", "EdDSA").put("kid", signer.kid()).put("typ", TYPE).build();
    JsonObject.Builder claims =
        JsonObject.builder()
            .put("iss", issuer)
            .put("aud", decision.owner().value())
            .put("sub", decision.agent().agentId())
            .put("jti", decision.id().toString())
            .put("iat", ends.getEpochSecond() - decision.validity().expiresIn())
            .put("exp", expires.getEpochSecond())
            .put("client_id", question.caller().name())
            .put(DecisionJson.ALLOW, true)
            .put(DecisionJson.SIGNATURE, result.signed().signatureText());
    claims.putIfPresent(CLIENT_DIGEST, bounds.sources());
    JsonObject document = result.signed().document();
    for (String name : COPIED) {
      claims.putIfPresent(name, document.string(name));
    }
    List<String> templates =
        result.subject().chain().templates().stream().map(TemplateChain.Template::agentId).toList();
    if (!templates.isEmpty()) {
      claims.put("template_ids", JsonArray.ofStrings(templates));
    }
    String signed = base64(Json.bytes(header)) + "." + base64(Json.bytes(claims.build()));
    return new Made.Token(
        signed + "." + base64(signer.sign(signed.getBytes(StandardCharsets.US_ASCII))));
  }

  /**
   * The result of a token check.
   *
   * @param reason {@code valid}, or the reason why not, as one word
   * @param claims the claims, if this service signed the token
   * @param secondsLeft the time until it expires
   */
  record Checked(boolean valid, String reason, Optional<JsonObject> claims, long secondsLeft) {}

  /** Checks the token's signature, its time and its read set. */
  Checked check(String token) {
    Optional<Parts> read = token.length() > MOST_LENGTH ? Optional.empty() : Parts.of(token);
    if (read.isEmpty()) {
      return invalid("malformed");
    }
    Parts parts = read.get();
    if (!parts.header().string("alg").equals(Optional.of("EdDSA"))
        || !parts.header().string("typ").equals(Optional.of(TYPE))
        || parts.header().has("crit")) {
      return invalid("wrong_type");
    }
    Optional<String> kid = parts.header().string("kid");
    if (kid.isEmpty() || !verifier.knows(kid.get())) {
      return invalid("unknown_key");
    }
    if (!verifier.verify(kid.get(), parts.signed(), parts.signature())) {
      return invalid("bad_signature");
    }
    JsonObject claims = parts.claims();
    String reason = standing(claims).orElse("valid");
    long left = Math.max(0, whole(claims, "exp") - clock.instant().getEpochSecond());
    return new Checked(reason.equals("valid"), reason, Optional.of(claims), left);
  }

  /** Returns the reason why a correctly signed token is not valid now. */
  private Optional<String> standing(JsonObject claims) {
    Instant now = clock.instant();
    long issued = whole(claims, "iat");
    long expires = whole(claims, "exp");
    Optional<String> owner = claims.string(DecisionJson.OWNER_ID);
    if (!claims.string("iss").equals(Optional.of(issuer))
        || owner.isEmpty()
        || !claims.string("aud").equals(owner)) {
      return Optional.of("wrong_audience");
    }
    if (now.getEpochSecond() >= expires || expires - issued > MOST_LIFE.toSeconds()) {
      return Optional.of("expired");
    }
    OrgId org = new OrgId(owner.get());
    if (halts.stopping(org).isPresent()) {
      return Optional.of("organization_halted");
    }
    Optional<Subject> subject = claims.string("sub").map(AgentId::new).flatMap(subjects::hosted);
    if (subject.isEmpty() || !subject.get().org().equals(org)) {
      return Optional.of("passport_unknown");
    }
    Optional<PassportStatus> status =
        subject.get().passport().status().flatMap(PassportStatus::parse);
    if (!status.equals(Optional.of(PassportStatus.ACTIVE)) || !subject.get().chain().active()) {
      return Optional.of("passport_not_active");
    }
    if (!subject.get().end().isAfter(now)) {
      return Optional.of("passport_expired");
    }
    if (!claims.string(DecisionJson.PASSPORT_DIGEST).equals(Optional.of(subject.get().digest()))) {
      return Optional.of("passport_changed");
    }
    Optional<String> pack =
        claims
            .string(DecisionJson.POLICY_ID)
            .flatMap(id -> packs.hosted(id, org))
            .filter(judged -> judged.faults().isEmpty())
            .map(judged -> judged.pack().digest());
    if (pack.isEmpty() || !pack.equals(claims.string(DecisionJson.POLICY_DIGEST))) {
      return Optional.of("policy_changed");
    }
    String client = claims.text("client_id");
    return standing.isValid(org, client, claims.string(CLIENT_DIGEST))
        ? Optional.empty()
        : Optional.of("key_revoked");
  }

  private static Checked invalid(String reason) {
    return new Checked(false, reason, Optional.empty(), 0);
  }

  private static long whole(JsonObject object, String name) {
    return object.get(name) instanceof JsonNumber number ? (long) number.value() : 0;
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** A parsed compact JWS (RFC 7515 section 7.1). */
  @SuppressWarnings("ArrayRecordComponent") // checked at once, never compared
  private record Parts(JsonObject header, JsonObject claims, byte[] signed, byte[] signature) {
    static Optional<Parts> of(String token) {
      String[] parts = token.split("\\.", -1);
      if (parts.length != 3) {
        return Optional.empty();
      }
      try {
        Base64.Decoder decoder = Base64.getUrlDecoder();
        byte[] signature = decoder.decode(parts[2]);
        // A token has one spelling: unused bits after the last byte must be zero.
        if (!base64(signature).equals(parts[2])) {
          return Optional.empty();
        }
        return Optional.of(
            new Parts(
                Json.parseObject(decoder.decode(parts[0])),
                Json.parseObject(decoder.decode(parts[1])),
                (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII),
                signature));
      } catch (IllegalArgumentException | JsonFault e) {
        return Optional.empty();
      }
    }
  }
}
