package dev.safeconduct.verify;

import dev.safeconduct.access.KeyStanding;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.PassportStatus;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.signing.Verifier;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An allow as a compact JWT (RFC 7519, EdDSA of RFC 8037) for offline use, by the key for decision
 * tokens alone. It names everything it rests on, so that whoever holds it can drop it when any of
 * that changes.
 */
public final class DecisionTokens {
  /** A suspension must bite within this time even where nobody asks. */
  static final Duration MOST_LIFE = Duration.ofSeconds(30);

  static final String TYPE = "decision+jwt";
  private static final int MOST_LENGTH = 8 * 1024;

  /** What of a decision goes into its token under the same name. */
  private static final List<String> COPIED =
      List.of(
          "decision_id",
          "policy_id",
          "policy_digest",
          "passport_digest",
          "context_digest",
          "assurance_level",
          "created_at",
          "owner_id");

  private final Supplier<Signer> signers;
  private final Verifier verifier;
  private final SubjectResolver subjects;
  private final PackResolver packs;
  private final KeyStanding standing;
  private final String issuer;
  private final InstantSource clock;

  /** {@code issuer}: the service's public address. */
  public DecisionTokens(
      Supplier<Signer> signers,
      Verifier verifier,
      SubjectResolver subjects,
      PackResolver packs,
      KeyStanding standing,
      String issuer,
      InstantSource clock) {
    this.signers = signers;
    this.verifier = verifier;
    this.subjects = subjects;
    this.packs = packs;
    this.standing = standing;
    this.issuer = issuer;
    this.clock = clock;
  }

  /** A token, or why there is none. */
  sealed interface Made {
    /** The compact JWT. */
    record Token(String text) implements Made {}

    /** In one word, for programs. */
    record None(String why) implements Made {}
  }

  /** The token of a decision; only an allow that may be cached has one. */
  Made make(Verified verified, VerifyRequest question) {
    JsonObject decision = verified.decision().document();
    if (!decision.isTrue("allow")) {
      return new Made.None("denied");
    }
    if (decision.isTrue("dry_run")) {
      return new Made.None("dry_run");
    }
    if (question.reserve()) {
      return new Made.None("reserved"); // a release would leave the token behind
    }
    if (!verified.subject().hosted() || !verified.judged().hosted()) {
      return new Made.None("not_hosted");
    }
    Instant expires =
        decision.string("expires_at").flatMap(IsoInstant::parse).orElse(Instant.EPOCH);
    if (whole(decision, "expires_in") <= 0) {
      return new Made.None("counted");
    }
    Instant now = clock.instant();
    if (!now.isBefore(expires)) {
      return new Made.None("expired"); // the answer to an idempotency key of a while ago
    }
    Signer signer = signers.get();
    JsonObject header =
        JsonObject.builder().put("alg", "EdDSA").put("kid", signer.kid()).put("typ", TYPE).build();
    JsonObject.Builder claims =
        JsonObject.builder()
            .put("iss", issuer)
            .put("aud", decision.string("owner_id").orElseThrow())
            .put("sub", decision.string("agent_id").orElseThrow())
            .put("jti", decision.string("decision_id").orElseThrow())
            .put("iat", expires.getEpochSecond() - whole(decision, "expires_in"))
            .put("exp", expires.getEpochSecond())
            .put("client_id", question.caller().name())
            .put("allow", true)
            .put("signature", VerifyAnswer.signature(verified.decision()));
    for (String name : COPIED) {
      claims.putIfPresent(name, decision.string(name));
    }
    List<String> templates =
        verified.subject().templates().stream().map(Template::agentId).toList();
    if (!templates.isEmpty()) {
      claims.put("template_ids", JsonArray.ofStrings(templates));
    }
    String signed = base64(Json.bytes(header)) + "." + base64(Json.bytes(claims.build()));
    return new Made.Token(
        signed + "." + base64(signer.sign(signed.getBytes(StandardCharsets.US_ASCII))));
  }

  /**
   * What a token is worth now.
   *
   * @param reason {@code valid}, or why not, in one word
   * @param claims what it says, once its signature is known to be ours
   * @param secondsLeft until it ends
   */
  record Checked(boolean valid, String reason, Optional<JsonObject> claims, long secondsLeft) {}

  /** Whether the token is ours, in time, and what it rests on still stands. */
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

  /** Why a token of ours is not good now. */
  private Optional<String> standing(JsonObject claims) {
    Instant now = clock.instant();
    long issued = whole(claims, "iat");
    long expires = whole(claims, "exp");
    Optional<String> owner = claims.string("owner_id");
    if (!claims.string("iss").equals(Optional.of(issuer))
        || owner.isEmpty()
        || !claims.string("aud").equals(owner)) {
      return Optional.of("wrong_audience");
    }
    if (now.getEpochSecond() >= expires || expires - issued > MOST_LIFE.toSeconds()) {
      return Optional.of("expired");
    }
    OrgId org = new OrgId(owner.get());
    Optional<Subject> subject = claims.string("sub").map(AgentId::new).flatMap(subjects::hosted);
    if (subject.isEmpty() || !subject.get().org().equals(org)) {
      return Optional.of("passport_unknown");
    }
    Optional<PassportStatus> status =
        subject.get().passport().string("status").flatMap(PassportStatus::parse);
    if (!status.equals(Optional.of(PassportStatus.ACTIVE)) || !subject.get().templateActive()) {
      return Optional.of("passport_not_active");
    }
    if (!claims.string("passport_digest").equals(Optional.of(subject.get().digest()))) {
      return Optional.of("passport_changed");
    }
    Optional<String> pack =
        claims
            .string("policy_id")
            .flatMap(id -> packs.hosted(id, org))
            .filter(judged -> judged.faults().isEmpty())
            .map(judged -> judged.pack().digest());
    if (pack.isEmpty() || !pack.equals(claims.string("policy_digest"))) {
      return Optional.of("policy_changed");
    }
    String client = claims.string("client_id").orElse("");
    return client.startsWith("key:") && !standing.stands(org, client.substring("key:".length()))
        ? Optional.of("key_revoked")
        : Optional.empty();
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

  /** A compact JWS (RFC 7515 section 7.1), taken apart. */
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
        // One spelling of one token: bits beyond the last byte must not make another.
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
