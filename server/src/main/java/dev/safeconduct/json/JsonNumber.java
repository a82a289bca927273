package dev.safeconduct.json;

/** A JSON number; always finite, and never -0.0, which RFC 8785 writes as 0. */
public record JsonNumber(double value) implements JsonValue {
  /** The greatest magnitude below which every integer is exact in a double: 2^53 - 1. */
  public static final double MAX_SAFE_INTEGER = 9007199254740991d;

  public JsonNumber {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a JSON number is finite");
    }
    value += 0.0; // -0.0 + 0.0 is 0.0.
  }

  /** Whether the value is integral and exactly representable: magnitude at most 2^53 - 1. */
  public boolean isSafeInteger() {
    return Math.rint(value) == value && Math.abs(value) <= MAX_SAFE_INTEGER;
  }

  @Override
  public String typeName() {
    return "number";
  }
}
