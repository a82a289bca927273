package dev.safeconduct.decision;

import java.util.Optional;

/**
 * The reason of a decision.
 *
 * @param code one of the {@link ReasonCode}s, or a code that the pack introduces
 * @param message an explanation for people
 * @param rule the pack's rule, when one decided
 */
public record Reason(String code, String message, Optional<String> rule) {
  /** Returns a reason that does not come from a rule of the pack. */
  public static Reason of(ReasonCode code, String message) {
    return new Reason(code.wire(), message, Optional.empty());
  }
}
