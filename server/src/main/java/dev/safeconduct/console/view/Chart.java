package dev.safeconduct.console.view;

import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.json.IsoInstant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A chart of decisions per minute over an hour, drawn by the server. Allows are above the line,
 * denies below it. The picture is 720 wide and 140 high, with the line at {@code middle}.
 */
public record Chart(List<Bar> bars, int middle, String most, String text) {
  private static final int MINUTES = 60;
  private static final int STEP = 12;
  private static final int WIDTH = 9;
  private static final int ROOM = 120;
  private static final long MINUTE_MS = 60_000;

  public Chart {
    bars = List.copyOf(bars);
  }

  /** The bar of one minute. */
  public record Bar(int x, int width, int top, int allowed, int denied, String title) {}

  public static Chart of(Map<Long, DecisionCounts.Counts> minutes, Instant now) {
    long most = minutes.values().stream().mapToLong(DecisionCounts.Counts::allowed).max().orElse(0);
    long worst = minutes.values().stream().mapToLong(DecisionCounts.Counts::denied).max().orElse(0);
    long whole = Math.max(1, most + worst);
    int middle = 8 + (int) (ROOM * most / whole);
    long last = DecisionCounts.Kind.MINUTE.lately(now.toEpochMilli());
    var bars = new ArrayList<Bar>();
    for (int i = 0; i < MINUTES; i++) {
      long minute = last - (MINUTES - 1 - i) * MINUTE_MS;
      DecisionCounts.Counts counts = minutes.getOrDefault(minute, DecisionCounts.Counts.NONE);
      if (counts.total() > 0) {
        int up = length(counts.allowed(), whole);
        bars.add(
            new Bar(
                i * STEP,
                WIDTH,
                middle - up,
                up,
                length(counts.denied(), whole),
                IsoInstant.seconds(Instant.ofEpochMilli(minute)).substring(11, 16)
                    + " UTC: "
                    + Formats.count(counts.allowed())
                    + " allowed, "
                    + Formats.count(counts.denied())
                    + " denied"));
      }
    }
    DecisionCounts.Counts all =
        minutes.values().stream().reduce(DecisionCounts.Counts.NONE, DecisionCounts.Counts::plus);
    return new Chart(
        bars,
        middle,
        Formats.count(Math.max(most, worst)),
        "Decisions per minute in the last hour: "
            + Formats.count(all.allowed())
            + " allowed, "
            + Formats.count(all.denied())
            + " denied.");
  }

  /** Returns a bar's length; a count above zero is always visible. */
  private static int length(long count, long whole) {
    return count == 0 ? 0 : (int) Math.max(2, ROOM * count / whole);
  }
}
