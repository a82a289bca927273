package dev.safeconduct.decision.facts;

/** A named check a pack's rule refers to: deterministic, total, without I/O. */
@FunctionalInterface
public interface Validator {
  Verdict check(Facts facts);

  /** The cap for those counters of the rule that name none. */
  default Reading<Double> cap(Facts facts) {
    return new Reading.Absent<>();
  }
}
