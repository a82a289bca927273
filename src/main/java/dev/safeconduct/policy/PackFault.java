package dev.safeconduct.policy;

import dev.safeconduct.problem.PolicyFault;
import java.util.List;
import java.util.stream.Collectors;

/** A pack that cannot be used; lists every fault found, each with its place. */
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

  /** The faults as lines for people. */
  public List<String> lines() {
    return faults.stream().map(PolicyFault::text).toList();
  }
}
