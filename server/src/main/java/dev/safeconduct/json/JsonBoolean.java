package dev.safeconduct.json;

/** A JSON {@code true} or {@code false}. */
public enum JsonBoolean implements JsonValue {
  TRUE,
  FALSE;

  public static JsonBoolean of(boolean value) {
    return value ? TRUE : FALSE;
  }

  public boolean value() {
    return this == TRUE;
  }

  @Override
  public String typeName() {
    return "boolean";
  }
}
