package dev.safeconduct.webhook;

import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A webhook's secrets, the newest first. After a rotation the older secrets sign until they expire,
 * so that a receiver can switch without missing a delivery.
 */
record SecretSet(List<Held> secrets) {
  /** The most that sign at once; rotating on drops the oldest. */
  static final int MOST = 4;

  /**
   * One secret.
   *
   * @param until from when it signs no more; the newest has no end
   */
  record Held(WebhookSecret secret, Optional<Instant> until) {
    boolean signsAt(Instant now) {
      return until.isEmpty() || until.get().isAfter(now);
    }
  }

  SecretSet {
    secrets = List.copyOf(secrets);
  }

  static SecretSet of(WebhookSecret secret) {
    return new SecretSet(List.of(new Held(secret, Optional.empty())));
  }

  /** Those that sign at that time, the newest first. */
  List<WebhookSecret> at(Instant now) {
    return secrets.stream().filter(held -> held.signsAt(now)).map(Held::secret).toList();
  }

  /** The set with a new secret in front; the present ones go on until then at the latest. */
  SecretSet rotated(WebhookSecret next, Instant now, Instant until) {
    var all = new ArrayList<Held>();
    all.add(new Held(next, Optional.empty()));
    for (Held held : secrets) {
      Instant end = held.until().filter(until::isAfter).orElse(until);
      Held ending = new Held(held.secret(), Optional.of(end));
      if (ending.signsAt(now) && all.size() < MOST) {
        all.add(ending);
      }
    }
    return new SecretSet(all);
  }

  /** When the last of the older ones ends; empty when only the newest signs. */
  Optional<Instant> overlapEndsAt() {
    return secrets.stream().flatMap(held -> held.until().stream()).max(Instant::compareTo);
  }
}
