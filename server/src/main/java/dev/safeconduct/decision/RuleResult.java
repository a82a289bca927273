package dev.safeconduct.decision;

/** The result of one rule. */
public sealed interface RuleResult {
  /** The rule allows the action. */
  enum Pass implements RuleResult {
    PASS
  }

  /**
   * The rule denies.
   *
   * @param message the requested and the allowed value, for people; without secrets
   */
  record Fail(String message) implements RuleResult {}

  static RuleResult pass() {
    return Pass.PASS;
  }

  static RuleResult fail(String message) {
    return new Fail(message);
  }
}
