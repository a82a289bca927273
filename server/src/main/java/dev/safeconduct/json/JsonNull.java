package dev.safeconduct.json;

/** The JSON literal {@code null}. */
public enum JsonNull implements JsonValue {
  NULL;

  @Override
  public String typeName() {
    return "null";
  }
}
