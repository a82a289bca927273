package dev.safeconduct.hook;

/** What an agent is told about a tool's use. */
sealed interface HookOutcome {
  /**
   * No objection.
   *
   * @param approved whether the passport's owner consents in place of the agent's user
   */
  record Allow(boolean approved) implements HookOutcome {}

  /** The agent's user decides. */
  record Ask(String reason) implements HookOutcome {}

  /** The agent must not use the tool. {@code reason} is never blank. */
  record Deny(String reason) implements HookOutcome {}

  /** Leaves room for ids and an address in the 500 characters of a reason. */
  int MOST_MESSAGE = 250;

  /** Returns a message short enough for what follows it to fit into one line of a header. */
  static String clipped(String message) {
    int end = Math.min(MOST_MESSAGE, message.codePointCount(0, message.length()));
    int cut = message.offsetByCodePoints(0, end);
    return cut == message.length() ? message : message.substring(0, cut) + "…";
  }
}
