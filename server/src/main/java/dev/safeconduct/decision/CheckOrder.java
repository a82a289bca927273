package dev.safeconduct.decision;

import dev.safeconduct.policy.PolicyPack;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The checks of a decision in evaluation order. The first check that fails denies. The page that
 * shows a decision reads from its record which checks were evaluated.
 */
public enum CheckOrder {
  PASSPORT_STATUS,
  PASSPORT_EXPIRY,
  CAPABILITY,
  ASSURANCE,
  CONTEXT,
  MCP_COMPANIONS,
  /** The pack's own rules in their order. The trace shows each rule by its name. */
  RULES,
  REGION,
  APPROVAL;

  /** All, in order. */
  static final List<CheckOrder> ALL = List.of(values());

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the spelling in traces and records. */
  public String wire() {
    return wire;
  }

  /** Parses the spelling of {@link #wire}. */
  public static Optional<CheckOrder> parse(String wire) {
    return Arrays.stream(values()).filter(check -> check.wire.equals(wire)).findFirst();
  }

  /** Whether decisions of the pack include this check. */
  boolean isPartOf(PolicyPack pack) {
    return switch (this) {
      case MCP_COMPANIONS -> pack.mcpEnforced();
      case APPROVAL -> pack.approvalGate();
      default -> true;
    };
  }
}
