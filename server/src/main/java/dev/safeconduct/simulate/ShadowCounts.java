package dev.safeconduct.simulate;

/**
 * What a trial has counted.
 *
 * @param evaluated decisions that were held against the tried version
 * @param wouldDeny allows that it would have denied
 * @param wouldAllow denies that it would have allowed
 * @param otherReason denies that it would have given another code
 * @param failed decisions it could not evaluate: it does not compile, or its evaluation broke
 * @param dropped decisions that were not evaluated because the queue was full, or differences that
 *     could not be written
 */
public record ShadowCounts(
    long evaluated, long wouldDeny, long wouldAllow, long otherReason, long failed, long dropped) {
  public static final ShadowCounts ZERO = new ShadowCounts(0, 0, 0, 0, 0, 0);

  static final ShadowCounts SAME = new ShadowCounts(1, 0, 0, 0, 0, 0);
  static final ShadowCounts FAILED = new ShadowCounts(1, 0, 0, 0, 1, 0);
  static final ShadowCounts DROPPED = new ShadowCounts(0, 0, 0, 0, 0, 1);

  static ShadowCounts of(Difference.Kind kind) {
    return switch (kind) {
      case WOULD_DENY -> new ShadowCounts(1, 1, 0, 0, 0, 0);
      case WOULD_ALLOW -> new ShadowCounts(1, 0, 1, 0, 0, 0);
      case OTHER_REASON -> new ShadowCounts(1, 0, 0, 1, 0, 0);
    };
  }

  public ShadowCounts plus(ShadowCounts other) {
    return new ShadowCounts(
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
