package dev.safeconduct.config;

import java.util.List;

/** The configuration is not usable; lists every fault found, not only the first. */
public final class ConfigFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> faults;

  ConfigFault(List<String> faults) {
    super(String.join(System.lineSeparator(), faults), null, false, false);
    this.faults = List.copyOf(faults);
  }

  /**
   * Returns one sentence for each fault; it begins with the variable's name and never has a secret.
   */
  public List<String> faults() {
    return faults;
  }
}
