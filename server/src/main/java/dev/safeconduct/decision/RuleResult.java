package dev.safeconduct.decision;

/** The result of one rule. */
public sealed interface RuleResult {
  /** The rule allows the action. */
  enum Pass implements RuleResult {
    PASS
  }

  /** What observe mode does with a failure. */
  enum Observed {
    /** The same as with other failures of the rule. */
    AS_RULE,

    /** It denies too: no passport may allow it, or the owner forbids it by name. */
    DENIED,

    /** It lifts: only a list of the owner's does not admit it, though the rule protects more. */
    LIFTED
  }

  /**
   * The rule denies.
   *
   * @param message the requested and the allowed value, for people; without secrets
   */
  record Fail(String message, Observed observed) implements RuleResult {}

  static RuleResult pass() {
    return Pass.PASS;
  }

  static RuleResult fail(String message) {
    return new Fail(message, Observed.AS_RULE);
  }

  /** Returns a failure of what no passport may allow, or of what the owner forbids by name. */
  static RuleResult never(String message) {
    return new Fail(message, Observed.DENIED);
  }

  /** Returns a failure that an owner's list causes within a rule that also protects. */
  static RuleResult byList(String message) {
    return new Fail(message, Observed.LIFTED);
  }
}
