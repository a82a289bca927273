package dev.safeconduct.policy;

import java.util.List;

/** A pack that cannot be used; lists every fault found, each with its place. */
public final class PackFault extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> faults;

  PackFault(List<String> faults) {
    super(String.join("\n", faults), null, false, false);
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
