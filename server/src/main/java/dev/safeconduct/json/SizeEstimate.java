package dev.safeconduct.json;

/** About how many bytes a value takes in memory. */
public final class SizeEstimate {
  private static final int NODE = 64;

  /** Of the tables of an object, which have room for a few members. */
  private static final int TABLES = 96;

  private static final long TOO_HEAVY = 256L << 20;

  private SizeEstimate() {}

  /** Returns that many percent of the greatest heap, in bytes. */
  public static long ofHeap(int percent) {
    return Runtime.getRuntime().maxMemory() / 100 * percent;
  }

  /** Returns the estimate; counting stops where it is far too heavy. */
  public static long of(JsonValue value) {
    return of(value, TOO_HEAVY);
  }

  /** Returns the estimate; at most a little more than {@code most}, where counting stops. */
  private static long of(JsonValue value, long most) {
    long bytes = NODE;
    switch (value) {
      case JsonString text -> bytes += text.value().length();
      case JsonArray array -> {
        for (JsonValue element : array) {
          bytes += of(element, most - bytes);
          if (bytes > most) {
            return bytes;
          }
        }
      }
      case JsonObject object -> {
        bytes += TABLES;
        for (String name : object.names()) {
          JsonValue member = object.get(name);
          bytes += NODE + name.length() + (member == null ? 0 : of(member, most - bytes));
          if (bytes > most) {
            return bytes;
          }
        }
      }
      default -> {}
    }
    return bytes;
  }
}
