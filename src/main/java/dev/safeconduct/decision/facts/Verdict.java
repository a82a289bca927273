package dev.safeconduct.decision.facts;

/** What one rule says. */
public sealed interface Verdict {
  /** The rule has nothing against the action. */
  enum Pass implements Verdict {
    PASS
  }

  /**
   * The rule denies.
   *
   * @param message what was asked and what is allowed, for the agent's human; no secrets
   */
  record Fail(String message) implements Verdict {}

  static Verdict pass() {
    return Pass.PASS;
  }

  static Verdict fail(String message) {
    return new Fail(message);
  }
}
