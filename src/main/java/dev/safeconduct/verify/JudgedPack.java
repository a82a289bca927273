package dev.safeconduct.verify;

import dev.safeconduct.policy.PolicyPack;
import java.util.List;

/**
 * The pack a request is judged by.
 *
 * @param hosted whether it is one of ours; else it came with the request
 * @param faults why it cannot be used, if it cannot: then the decision is a deny
 */
record JudgedPack(PolicyPack pack, boolean hosted, List<String> faults) {
  JudgedPack {
    faults = List.copyOf(faults);
  }

  /** {@code policy_source} as decisions spell it. */
  String source() {
    return hosted ? "registry" : "request";
  }
}
