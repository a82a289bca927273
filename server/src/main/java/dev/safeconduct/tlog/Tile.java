package dev.safeconduct.tlog;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A tile of the log as C2SP tlog-tiles names it: {@code width} neighbouring hashes of one level.
 * Each tile level is eight tree levels above the previous one.
 *
 * @param level 0 for leaf hashes; -1 for the entries themselves
 * @param index the tile's position in its level, from 0
 * @param width the number of hashes, 1 to 256; fewer than 256 only at the right edge
 */
public record Tile(int level, long index, int width) {
  /** The number of hashes in a full tile. */
  public static final int FULL = 256;

  /** The number of tree levels between two levels of tiles. */
  public static final int HEIGHT = 8;

  public static final int ENTRIES = -1;

  private static final int MOST_LEVELS = 64 / HEIGHT;
  private static final Pattern PATH =
      Pattern.compile("(0|[1-9]|entries)/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\\.p/([1-9][0-9]{0,2}))?");

  public Tile {
    if (level < ENTRIES || level >= MOST_LEVELS || index < 0 || width < 1 || width > FULL) {
      throw new IllegalArgumentException("no such tile");
    }
  }

  /** Parses the part after {@code tile/} in a path; empty when it is not a valid tile name. */
  public static Optional<Tile> parse(String path) {
    Matcher matcher = PATH.matcher(path);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int level = matcher.group(1).equals("entries") ? ENTRIES : Integer.parseInt(matcher.group(1));
    String digits = matcher.group(2).replace("x", "").replace("/", "");
    if (matcher.group(2).startsWith("x000") || level >= MOST_LEVELS) {
      return Optional.empty();
    }
    int width = matcher.group(3) == null ? FULL : Integer.parseInt(matcher.group(3));
    return width > FULL || (width == FULL && matcher.group(3) != null)
        ? Optional.empty()
        : Optional.of(new Tile(level, Long.parseLong(digits), width));
  }

  /** Returns the name after {@code tile/}: {@code 0/x001/067} or {@code 1/000.p/8}. */
  public String path() {
    var number = new StringBuilder(String.format("%03d", index % 1000));
    for (long rest = index / 1000; rest > 0; rest /= 1000) {
      number.insert(0, String.format("x%03d/", rest % 1000));
    }
    return (level == ENTRIES ? "entries" : Integer.toString(level))
        + "/"
        + number
        + (width == FULL ? "" : ".p/" + width);
  }

  /** Returns the number of hashes in this tile for a log of that size; 0 when it has none yet. */
  public static int widthAt(int level, long index, long size) {
    long hashes = level <= 0 ? size : size >> (HEIGHT * level);
    return Math.clamp(hashes - index * FULL, 0, FULL);
  }
}
