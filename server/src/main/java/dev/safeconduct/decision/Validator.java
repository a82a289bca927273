package dev.safeconduct.decision;

/** A named check that a pack's rule refers to. It is deterministic, total and does no I/O. */
@FunctionalInterface
public interface Validator {
  RuleResult check(Facts facts);

  /** Returns the cap for counters of the rule that name no cap. */
  default Reading<Double> cap(Facts facts) {
    return new Reading.Absent<>();
  }
}
