package dev.safeconduct.shadow;

/**
 * What a trial has counted.
 *
 * @param evaluated decisions that were held against the tried version
 * @param wouldDeny allows that it would have denied
 * @param wouldAllow denies that it would have allowed
 * @param otherReason denies that it would have given another code
 * @param failed decisions it could not judge: it does not compile, or its evaluation broke
 * @param dropped decisions nobody held against it, because too many were waiting, or differences
 *     that could not be written
 */
public record Tally(
    long evaluated, long wouldDeny, long wouldAllow, long otherReason, long failed, long dropped) {
  public static final Tally ZERO = new Tally(0, 0, 0, 0, 0, 0);

  static final Tally SAME = new Tally(1, 0, 0, 0, 0, 0);
  static final Tally FAILED = new Tally(1, 0, 0, 0, 1, 0);
  static final Tally DROPPED = new Tally(0, 0, 0, 0, 0, 1);

  static Tally of(Difference.Kind kind) {
    return switch (kind) {
      case WOULD_DENY -> new Tally(1, 1, 0, 0, 0, 0);
      case WOULD_ALLOW -> new Tally(1, 0, 1, 0, 0, 0);
      case OTHER_REASON -> new Tally(1, 0, 0, 1, 0, 0);
    };
  }

  public Tally plus(Tally other) {
    return new Tally(
        evaluated + other.evaluated,
        wouldDeny + other.wouldDeny,
        wouldAllow + other.wouldAllow,
        otherReason + other.otherReason,
        failed + other.failed,
        dropped + other.dropped);
  }

  /** Differences of every kind. */
  public long differing() {
    return wouldDeny + wouldAllow + otherReason;
  }

  /** Decisions that would have been the same. */
  public long same() {
    return evaluated - differing() - failed;
  }
}
