package dev.safeconduct.audit;

import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * A decision as it is signed and recorded. {@link DecisionJson} defines its JSON names.
 *
 * @param owner the organization that owns the decision
 * @param contextDigest over the canonical form of the evaluated context
 * @param kid the key that signs it
 */
public record Decision(
    UUID id,
    OrgId owner,
    Agent agent,
    Policy policy,
    String contextDigest,
    Result result,
    Validity validity,
    String kid) {

  /** The source of a passport or a pack. */
  public enum Source {
    /** It is stored by this service. */
    REGISTRY,
    /** A pack that is stored by this service lists its subject; passports only. */
    PACK,
    /** It was sent with the request and is not verified. */
    REQUEST;

    private final String wire = name().toLowerCase(Locale.ROOT);

    public String wire() {
      return wire;
    }

    static Source parse(String wire) {
      return Arrays.stream(values()).filter(s -> s.wire.equals(wire)).findFirst().orElse(REGISTRY);
    }
  }

  /** The passport of the evaluation. */
  public record Agent(
      String agentId, String passportId, String assuranceLevel, String digest, Source source) {}

  /** The pack of the evaluation. */
  public record Policy(String id, String digest, Source source) {}

  /**
   * The outcome.
   *
   * @param observed the first reason why the policy denies, if observe mode lifted it
   */
  public record Result(boolean allow, Reason reason, Optional<Reason> observed) {
    public Result(boolean allow, Reason reason) {
      this(allow, reason, Optional.empty());
    }
  }

  /**
   * A reason for the outcome.
   *
   * @param code for example {@code oap.limit_exceeded}
   * @param rule the pack's rule that decided, if any
   */
  public record Reason(String code, String message, Optional<String> rule) {}

  /**
   * The validity of the decision.
   *
   * @param expiresIn seconds for which an allow may be cached
   * @param dryRun whether it was a dry run, which charges nothing and permits nothing
   */
  public record Validity(Instant issuedAt, int expiresIn, boolean dryRun) {
    public Instant expiresAt() {
      return issuedAt.plusSeconds(expiresIn);
    }
  }

  public boolean allow() {
    return result.allow();
  }

  public Reason reason() {
    return result.reason();
  }

  /** Returns what the policy says, also where observe mode allows what it denies. */
  public boolean allowedByPolicy() {
    return result.allow() && result.observed().isEmpty();
  }

  /** Returns the policy's reason, also where observe mode lifts it. */
  public Reason policyReason() {
    return result.observed().orElse(result.reason());
  }
}
