package dev.safeconduct.identity;

import java.util.Optional;

/** The certainty about a passport's owner, in ascending order. */
public enum AssuranceLevel {
  L0("L0"),
  L1("L1"),
  L2("L2"),
  L3("L3"),
  L4KYC("L4KYC"),
  L4FIN("L4FIN");

  private final String wire;

  AssuranceLevel(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }

  /** Returns the level of that exact name; {@code L4} is read as {@code L4KYC}. */
  public static Optional<AssuranceLevel> parse(String text) {
    if (text.equals("L4")) {
      return Optional.of(L4KYC);
    }
    for (AssuranceLevel level : values()) {
      if (level.wire.equals(text)) {
        return Optional.of(level);
      }
    }
    return Optional.empty();
  }
}
