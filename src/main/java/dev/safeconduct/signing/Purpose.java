package dev.safeconduct.signing;

/** What a key signs; a key never signs anything else. */
public enum Purpose {
  DECISION("decision"),
  DECISION_TOKEN("decision_token"),
  SESSION("session"),
  CHECKPOINT("checkpoint"),
  /** What the public view says of a passport. */
  PASSPORT("passport");

  private final String wire;

  Purpose(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }
}
