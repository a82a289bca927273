package dev.safeconduct.json;

import org.jspecify.annotations.Nullable;

/**
 * A JSON number; always finite, and never -0.0, which RFC 8785 writes as 0.
 *
 * @param rounded whether it was written as another number, which the value only comes near to; this
 *     makes no difference between two numbers
 */
public record JsonNumber(double value, boolean rounded) implements JsonValue {
  /** The greatest magnitude below which every integer is exact in a double: 2^53 - 1. */
  public static final double MAX_SAFE_INTEGER = 9007199254740991d;

  public JsonNumber {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a JSON number is finite");
    }
    value += 0.0; // -0.0 + 0.0 is 0.0.
  }

  public JsonNumber(double value) {
    this(value, false);
  }

  /** Whether what was written is integral, with a magnitude of at most 2^53 - 1. */
  public boolean isSafeInteger() {
    return !rounded && Math.rint(value) == value && Math.abs(value) <= MAX_SAFE_INTEGER;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof JsonNumber number && Double.compare(value, number.value) == 0;
  }

  @Override
  public int hashCode() {
    return Double.hashCode(value);
  }

  @Override
  public String typeName() {
    return "number";
  }
}
