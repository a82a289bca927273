package dev.safeconduct.console.view;

import dev.safeconduct.json.IsoInstant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A chart of decisions over a period, drawn by the server, with the same numbers as a table. Allows
 * are above the line, denies below it. The picture is 720 wide and 136 high. {@code most} is the
 * highest number.
 */
public record TrendChart(List<Bar> bars, int middle, String most) {
  private static final int WIDE = 720;
  private static final int ROOM = 120;

  /** The decisions of one part of the period, which starts at {@code at}. */
  public record Count(long at, long allowed, long denied) {}

  /** The bar of one part, and its numbers. */
  public record Bar(
      int x,
      int width,
      int top,
      int up,
      int down,
      Formats.When at,
      String allowed,
      String denied) {}

  public static TrendChart of(List<Count> counts, Instant now) {
    long most = counts.stream().mapToLong(Count::allowed).max().orElse(0);
    long worst = counts.stream().mapToLong(Count::denied).max().orElse(0);
    long whole = Math.max(1, most + worst);
    int middle = 8 + (int) (ROOM * most / whole);
    int step = WIDE / Math.max(1, counts.size());
    var bars = new ArrayList<Bar>();
    for (int i = 0; i < counts.size(); i++) {
      Count count = counts.get(i);
      int up = length(count.allowed(), whole);
      bars.add(
          new Bar(
              i * step,
              Math.max(1, step - 3),
              middle - up,
              up,
              length(count.denied(), whole),
              Formats.when(IsoInstant.seconds(Instant.ofEpochMilli(count.at())), now),
              Formats.count(count.allowed()),
              Formats.count(count.denied())));
    }
    return new TrendChart(bars, middle, Formats.count(Math.max(most, worst)));
  }

  /** Returns a bar's length; a count above zero is always visible. */
  private static int length(long count, long whole) {
    return count == 0 ? 0 : (int) Math.max(2, ROOM * count / whole);
  }
}
