package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.BuiltInPaths;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The normalised absolute directory a command runs in, for looking at many relative paths: each
 * costs time in its own length, not in the directory's.
 */
final class WorkingDirectory {
  private static final String UP = "/..";

  private final String directory;
  private final int depth;
  private final Map<Integer, PathSet.Within> above = new HashMap<>();

  WorkingDirectory(String directory) {
    this.directory = directory;
    depth = (int) directory.chars().filter(c -> c == '/').count();
  }

  /** Whether the relative normalised path, read from here, is sensitive. */
  boolean hits(String path) {
    int rest = restOf(path);
    PathSet.Within within =
        above.computeIfAbsent(
            Math.min((rest + 1) / UP.length(), depth),
            climbs ->
                BuiltInPaths.SENSITIVE.within(
                    LexicalPath.normalise(directory + UP.repeat(climbs))));
    return (rest >= path.length() || path.equals("."))
        ? within.hitsDirectory()
        : within.hitsBelow(path.substring(rest));
  }

  /** The absolute path the relative one leads to. */
  String resolve(String path) {
    return LexicalPath.normalise(directory + "/" + path);
  }

  /** Where the path goes on after the {@code ..} parts it begins with. */
  static int restOf(String path) {
    int rest = 0;
    while (path.startsWith("../", rest)) {
      rest += 3;
    }
    return path.startsWith("..", rest) && path.length() == rest + 2 ? path.length() : rest;
  }
}
