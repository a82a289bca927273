package dev.safeconduct.signing;

/** What a key signs; a key never signs anything else. */
public enum Purpose {
  DECISION("decision"),
  DECISION_TOKEN("decision_token"),
  SESSION("session"),
  CHECKPOINT("checkpoint"),
  /** What the public view says of a passport. */
  PASSPORT("passport"),
  /** What the service says of itself to machines that look for it. */
  METADATA("metadata");

  private final String wire;

  Purpose(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }
}
