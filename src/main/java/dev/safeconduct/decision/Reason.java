package dev.safeconduct.decision;

import java.util.Optional;

/**
 * Why a decision is what it is.
 *
 * @param code from the catalogue of reason codes, {@code oap.…}
 * @param message for the agent's human
 * @param rule the pack's rule, when one decided
 */
public record Reason(String code, String message, Optional<String> rule) {
  public static final String ALLOWED = "oap.allowed";
  public static final String POLICY_ERROR = "oap.policy_error";
}
