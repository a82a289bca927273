package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonObject;
import java.util.Optional;
import java.util.OptionalInt;

/** The facts an expression can read about a request; the same for every rule of a pack. */
public interface FactSource {
  /** Returns the agent's passport, the root {@code passport}. */
  JsonObject passport();

  /** Returns the validated context of the request, the root {@code context}. */
  JsonObject context();

  /** Returns the effective limits, the root {@code limits}; an empty object if there are none. */
  JsonObject limits();

  /** Returns the pack's {@code id} and {@code min_assurance}, the root {@code policy}. */
  JsonObject policy();

  /** Returns the counters behind the functions of {@code state}. */
  State state();

  /** Returns the decision's single clock reading, in seconds since the epoch. */
  double now();

  /** Returns whether the passport has the capability, by its id or an alias. */
  boolean hasCapability(String id);

  /** Returns whether the passport's regions cover the region. */
  boolean regionCovered(String region);

  /** Returns the budget for one further evaluation. */
  default Budget budget() {
    return new Budget();
  }

  /** Returns the level's rank, from L0 = 0 to L4FIN = 5; empty for an unknown level. */
  default OptionalInt assuranceRank(String level) {
    return switch (level) {
      case "L0" -> OptionalInt.of(0);
      case "L1" -> OptionalInt.of(1);
      case "L2" -> OptionalInt.of(2);
      case "L3" -> OptionalInt.of(3);
      case "L4", "L4KYC" -> OptionalInt.of(4);
      case "L4FIN" -> OptionalInt.of(5);
      default -> OptionalInt.empty();
    };
  }

  /**
   * Returns the level that a refund of this amount requires, in minor units of any currency: L2 up
   * to 10000, L3 up to 50000, L4KYC above.
   */
  default Optional<String> tier(double amount) {
    if (amount <= 10_000) {
      return Optional.of("L2");
    }
    return Optional.of(amount <= 50_000 ? "L3" : "L4KYC");
  }
}
