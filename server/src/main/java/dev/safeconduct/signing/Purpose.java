package dev.safeconduct.signing;

/** The single use of a key; each key signs for one purpose only. */
public enum Purpose {
  DECISION("decision"),
  DECISION_TOKEN("decision_token"),
  SESSION("session"),
  CHECKPOINT("checkpoint"),
  /** The public view of a passport. */
  PASSPORT("passport"),
  /** The service's metadata for machine discovery. */
  METADATA("metadata");

  private final String wire;

  Purpose(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }
}
