package dev.safeconduct.config;

import java.util.List;

/** The environment is not usable; lists every fault found, not only the first. */
public final class ConfigFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> faults;

  ConfigFault(List<String> faults) {
    super(String.join(System.lineSeparator(), faults), null, false, false);
    this.faults = List.copyOf(faults);
  }

  /** One sentence for each fault, beginning with the variable's name; never with a secret value. */
  public List<String> faults() {
    return faults;
  }
}
