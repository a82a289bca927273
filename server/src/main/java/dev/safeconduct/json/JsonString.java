package dev.safeconduct.json;

/** A JSON string; never holds a lone surrogate when it came from {@link Json#parse}. */
public record JsonString(String value) implements JsonValue {
  @Override
  public String typeName() {
    return "string";
  }
}
