package dev.safeconduct.verify;

import dev.safeconduct.decision.ObserveRules;
import dev.safeconduct.passport.Halt;
import java.util.Optional;

/**
 * What decides besides passport and pack.
 *
 * @param halt what stops all agents of the organization; then every outcome is a deny
 * @param observe what observe mode lifts; empty if the agent is not observed, or not for this pack
 */
public record Controls(Optional<Halt> halt, Optional<ObserveRules> observe) {
  /** Neither a halt nor observe mode. */
  public static final Controls NONE = new Controls(Optional.empty(), Optional.empty());

  /** Returns the same without observe mode, for evaluations that nobody acts on. */
  Controls enforced() {
    return observe.isEmpty() ? this : new Controls(halt, Optional.empty());
  }
}
