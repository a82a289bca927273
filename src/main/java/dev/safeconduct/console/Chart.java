package dev.safeconduct.console;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.tally.Tallies;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Decisions a minute over an hour, drawn by the server: allows above the line, denies below it.
 * Lengths are units of a picture 720 wide and 140 high, whose line stands at {@code middle}.
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

  /** One minute. */
  public record Bar(int x, int width, int top, int allowed, int denied, String title) {}

  static Chart of(Map<Long, Tallies.Counts> minutes, Instant now) {
    long most = minutes.values().stream().mapToLong(Tallies.Counts::allowed).max().orElse(0);
    long worst = minutes.values().stream().mapToLong(Tallies.Counts::denied).max().orElse(0);
    long whole = Math.max(1, most + worst);
    int middle = 8 + (int) (ROOM * most / whole);
    long last = Tallies.Kind.MINUTE.lately(now.toEpochMilli());
    var bars = new ArrayList<Bar>();
    for (int i = 0; i < MINUTES; i++) {
      long minute = last - (MINUTES - 1 - i) * MINUTE_MS;
      Tallies.Counts counts = minutes.getOrDefault(minute, Tallies.Counts.NONE);
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
                    + Show.count(counts.allowed())
                    + " allowed, "
                    + Show.count(counts.denied())
                    + " denied"));
      }
    }
    Tallies.Counts all =
        minutes.values().stream().reduce(Tallies.Counts.NONE, Tallies.Counts::plus);
    return new Chart(
        bars,
        middle,
        Show.count(Math.max(most, worst)),
        "Decisions of the last hour by the minute: "
            + Show.count(all.allowed())
            + " allowed, "
            + Show.count(all.denied())
            + " denied.");
  }

  /** What has happened is seen, however little it is. */
  private static int length(long count, long whole) {
    return count == 0 ? 0 : (int) Math.max(2, ROOM * count / whole);
  }
}
