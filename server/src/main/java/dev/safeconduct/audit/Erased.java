package dev.safeconduct.audit;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.List;

/**
 * Records whose contents were erased together.
 *
 * @param ranges their positions in the log
 * @param remainsDigest over their remaining columns ({@code ErasedStubs})
 */
public record Erased(List<Range> ranges, int count, String remainsDigest) {
  public Erased {
    ranges = List.copyOf(ranges);
  }

  /** Positions in the log, both ends included. */
  public record Range(long first, long last) {}

  /** Returns the JSON for the record of the erasure. */
  JsonObject.Builder told() {
    List<JsonValue> shown =
        ranges.stream()
            .<JsonValue>map(range ->
                new JsonArray(List.of(new JsonNumber(range.first()), new JsonNumber(range.last()))))
            .toList();
    return JsonObject.builder()
        .put("count", count)
        .put("ranges", new JsonArray(shown))
        .put("remains_digest", remainsDigest);
  }
}
