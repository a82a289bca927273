package dev.safeconduct.passport.issue;

import dev.safeconduct.error.ProblemException;
import java.time.Instant;
import java.util.Optional;

/**
 * Existing uses of a slug that is requested without an account.
 *
 * @param byOrganization whether an organization's own passport uses it
 * @param hold the hold on the slug or a look-alike, by a passport without an organization
 */
record SlugUse(boolean byOrganization, Optional<Hold> hold) {
  /**
   * A passport's hold on a slug and its look-alikes.
   *
   * @param until the expiry; empty once the passport is claimed, because the hold is then permanent
   */
  record Hold(Optional<Instant> until) {}

  /** Rejects a slug that is taken. An unclaimed passport holds its slug until the hold expires. */
  void demandFree(String slug, Instant now) {
    boolean held =
        hold.isPresent() && hold.get().until().map(until -> until.isAfter(now)).orElse(true);
    if (byOrganization || held) {
      throw ProblemException.conflict(
          "The slug " + slug + " is taken, or looks like one that is; choose another.",
          "slug_taken");
    }
  }
}
