package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Creates and revokes operators' tokens, and retires the admin token of the first start. */
public final class ManageTokens {
  static final String PREFIX = "sca_";
  private static final int HINT_LENGTH = 8;

  private final OperatorTokens tokens;
  private final Recorder recorder;
  private final RandomGenerator random;

  /**
   * @param random the source of tokens: cryptographically strong and thread-safe
   */
  public ManageTokens(OperatorTokens tokens, Recorder recorder, RandomGenerator random) {
    this.tokens = tokens;
    this.recorder = recorder;
    this.random = random;
  }

  /** What a new token shall be. */
  record Wish(String name, OperatorToken.Access access, Optional<Instant> expiresAt) {}

  /** A new token with its text, which is not stored. */
  record Made(OperatorToken token, String text) {}

  /** Returns the text of a new token: {@code sca_} and 256 random bits. */
  public static String fresh(RandomGenerator random) {
    return secret(PREFIX, random);
  }

  /** Returns a new secret of 256 random bits behind the prefix. */
  static String secret(String prefix, RandomGenerator random) {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Creates a token.
   *
   * @param log the organization in whose log it is recorded
   * @throws dev.safeconduct.error.ProblemException 400 for an expiry that has passed, 409 when
   *     there are too many
   */
  Made create(Origin origin, OrgId log, Wish wish) {
    Instant now = recorder.now();
    if (wish.expiresAt().filter(end -> !end.isAfter(now)).isPresent()) {
      throw ProblemException.invalid("expires_at", "expires_at must lie in the future.");
    }
    String text = fresh(random);
    var token =
        new OperatorToken(
            "tok_" + recorder.nextHex(),
            wish.name(),
            wish.access(),
            KeyHash.of(text),
            text.substring(0, HINT_LENGTH),
            origin.caller().name(),
            OperatorToken.Times.fresh(now, wish.expiresAt()));
    tokens.create(token, record(origin, log, now, "operator_token_created", token));
    return new Made(token, text);
  }

  /**
   * Revokes a token; one that was revoked before stays unchanged.
   *
   * @param log the organization in whose log it is recorded, unless the token is for another
   * @return when it was revoked
   * @throws dev.safeconduct.error.ProblemException 404 for an unknown token, 409 for the last way
   *     in
   */
  Instant revoke(Origin origin, OrgId log, String id) {
    OperatorToken token = tokens.find(id).orElseThrow(() -> unknown(id));
    Instant now = recorder.now();
    boolean revoked =
        tokens.revoke(
            token,
            now,
            record(origin, token.org().orElse(log), now, "operator_token_revoked", token));
    return revoked ? now : tokens.find(id).flatMap(made -> made.times().revokedAt()).orElse(now);
  }

  /**
   * Retires the admin token.
   *
   * @throws dev.safeconduct.error.ProblemException 404 if there is none, 409 for the last way in or
   *     while the setting gives it
   */
  Instant retireAdmin(Origin origin, OrgId log) {
    Instant now = recorder.now();
    JsonObject what = JsonObject.of("change", "admin_token_retired");
    if (!tokens.retireAdmin(now, recorder.write(RecordKind.CONFIG, log, now, origin, what))) {
      throw unknown("admin");
    }
    return now;
  }

  private AuditRecord record(
      Origin origin, OrgId log, Instant now, String change, OperatorToken token) {
    JsonObject what =
        JsonObject.builder()
            .put("change", change)
            .put("token_id", token.id())
            .put("name", token.name())
            .put("role", token.role().wire())
            .putIfPresent(
                "may", Optional.of(DeployRight.stored(token.may())).filter(text -> !text.isEmpty()))
            .build();
    return recorder.write(RecordKind.CONFIG, log, now, origin, what);
  }

  private static RuntimeException unknown(String id) {
    return ProblemException.notFound(
        "There is no such token.", "token_not_found", Map.of("token_id", id));
  }
}
