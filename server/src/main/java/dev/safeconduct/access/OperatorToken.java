package dev.safeconduct.access;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * A named token of an operator or a pipeline, beside the admin token.
 *
 * @param id {@code tok_} and 32 hex digits
 * @param hint its first characters, for people to tell tokens apart
 * @param createdBy the caller who created it, as the audit log names it
 */
public record OperatorToken(
    String id,
    String name,
    Access access,
    KeyHash hash,
    String hint,
    String createdBy,
    Times times) {

  /**
   * What a token may do, and where.
   *
   * @param org the organization of a deploy token; empty for the other roles
   * @param may what a deploy token may change by files besides packs and passports
   */
  record Access(Role role, Optional<OrgId> org, Set<DeployRight> may) {
    Access {
      may = Set.copyOf(may);
    }
  }

  Role role() {
    return access.role();
  }

  Optional<OrgId> org() {
    return access.org();
  }

  Set<DeployRight> may() {
    return access.may();
  }

  /**
   * When it was created, ends and was used.
   *
   * @param lastUsedAt to the minute
   */
  record Times(
      Instant createdAt,
      Optional<Instant> expiresAt,
      Optional<Instant> revokedAt,
      Optional<Instant> lastUsedAt) {
    /** Returns those of a new token. */
    static Times fresh(Instant now, Optional<Instant> expiresAt) {
      return new Times(now, expiresAt, Optional.empty(), Optional.empty());
    }
  }

  /** What a token may do. */
  public enum Role {
    /** Everything that the admin token may. */
    OPERATOR("operator"),
    /** Every GET of the operator, and nothing that changes or decides. */
    READ_ONLY("read_only"),
    /** Publish the packs of one organization, and create and update its passports. */
    DEPLOY("deploy");

    private final String wire;

    Role(String wire) {
      this.wire = wire;
    }

    /** Returns the name in requests and responses. */
    public String wire() {
      return wire;
    }

    /** Parses the name of {@link #wire}. */
    public static Optional<Role> parse(String text) {
      return Arrays.stream(values()).filter(role -> role.wire.equals(text)).findFirst();
    }
  }

  public boolean usableAt(Instant now) {
    return times.revokedAt().isEmpty()
        && times.expiresAt().filter(end -> !now.isBefore(end)).isEmpty();
  }

  /** Returns who acts with it. */
  Caller caller() {
    return role() == Role.DEPLOY
        ? new Caller.Deploy(id, org().orElseThrow(), may())
        : new Caller.Admin(
            Optional.empty(), Optional.of(new Caller.Token(id, role() == Role.READ_ONLY)));
  }
}
