package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import java.util.List;
import java.util.stream.Collectors;

/** An unusable pack, with every fault found and its place. */
public final class PackFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<PolicyFault> faults;

  PackFault(List<PolicyFault> faults) {
    super(
        faults.stream().map(PolicyFault::text).collect(Collectors.joining("\n")),
        null,
        false,
        false);
    this.faults = List.copyOf(faults);
  }

  public List<PolicyFault> faults() {
    return faults;
  }

  public List<String> lines() {
    return faults.stream().map(PolicyFault::text).toList();
  }
}
