package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.BuiltInPaths;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathPatterns;
import dev.safeconduct.decision.path.PathSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The normalised absolute working directory of a command, for checks of many relative paths. A path
 * without a hit costs time linear in its own length, not in the directory's.
 */
final class WorkingDirectory {
  private static final String UP = "/..";

  /**
   * A directory above this one, or this one.
   *
   * @param opened whether the owner allows it with everything below it
   */
  private record Level(String directory, PathSet.Within within, boolean opened) {
    String resolve(String rest) {
      if (rest.isEmpty()) {
        return directory;
      }
      return directory.equals("/") ? directory + rest : directory + "/" + rest;
    }
  }

  private final String directory;
  private final PathPatterns opened;
  private final int depth;
  private final Map<Integer, Level> levels = new HashMap<>();

  /**
   * @param opened the owner's list of sensitive paths that a command may name
   */
  WorkingDirectory(String directory, PathPatterns opened) {
    this.directory = directory;
    this.opened = opened;
    depth = (int) directory.chars().filter(c -> c == '/').count();
  }

  /** Returns the target of the relative normalised path if it is sensitive and not opened. */
  Optional<String> sensitive(String path) {
    int climbed = restOf(path);
    String rest = path.equals(".") ? "" : path.substring(climbed);
    Level level = levels.computeIfAbsent(Math.min((climbed + 1) / UP.length(), depth), this::level);
    boolean hit = rest.isEmpty() ? level.within().hitsDirectory() : level.within().hitsBelow(rest);
    if (!hit || level.opened()) {
      return Optional.empty();
    }
    String whole = level.resolve(rest);
    return opened.match(whole) ? Optional.empty() : Optional.of(whole);
  }

  private Level level(int climbs) {
    String above = LexicalPath.normalise(directory + UP.repeat(climbs));
    return new Level(above, BuiltInPaths.SENSITIVE.within(above), opened.cover(above));
  }

  /** Returns the index after the leading {@code ..} parts of the path. */
  static int restOf(String path) {
    int rest = 0;
    while (path.startsWith("../", rest)) {
      rest += 3;
    }
    return path.startsWith("..", rest) && path.length() == rest + 2 ? path.length() : rest;
  }
}
