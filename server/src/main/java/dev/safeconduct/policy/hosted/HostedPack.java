package dev.safeconduct.policy.hosted;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.PolicyId;
import java.time.Instant;
import java.util.Optional;

/**
 * An organization's pack, and which of its versions are in use.
 *
 * @param latest the version published last
 * @param active the version that decides
 * @param shadow the version that is evaluated as a trial
 * @param shadowSince the start of the trial
 * @param revision counts the changes of this pack, so that a change based on outdated data fails
 */
public record HostedPack(
    OrgId org,
    PolicyId id,
    PackVersion latest,
    Optional<PackVersion> active,
    Optional<PackVersion> shadow,
    Optional<Instant> shadowSince,
    long revision,
    Instant createdAt,
    Instant changedAt) {

  /** Returns the status for pack lists: {@code active}, {@code deprecated} or {@code draft}. */
  public String status() {
    if (active.isPresent()) {
      return "active";
    }
    return latest.deprecatedAt().isPresent() ? "deprecated" : "draft";
  }
}
