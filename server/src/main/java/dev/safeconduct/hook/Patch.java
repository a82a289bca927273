package dev.safeconduct.hook;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Patches in the format of {@code apply_patch}. */
final class Patch {
  private static final String UPDATE = "*** Update File:";
  private static final String MOVE = "*** Move to:";
  private static final Set<String> FILES =
      Set.of("*** Add File:", UPDATE, "*** Delete File:", MOVE);
  private static final Set<String> OTHERS =
      Set.of("*** Begin Patch", "*** End Patch", "*** End of File");

  /** Agents read a carriage return within a line as a part of the path. */
  private static final Pattern LINE_END = Pattern.compile("\r?\n");

  private static final Pattern MARGIN = Pattern.compile("^[\\s\\p{Z}\\p{C}]+");

  private Patch() {}

  /**
   * Returns every path that the patch writes.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a patch that cannot be read
   */
  static SequencedSet<String> paths(String patch) {
    SequencedSet<String> paths = new LinkedHashSet<>();
    boolean isUpdate = false;
    for (String each : LINE_END.split(patch, -1)) {
      String line = MARGIN.matcher(each).replaceFirst("").strip();
      if (line.startsWith("***") && !OTHERS.contains(line)) {
        int colon = line.indexOf(':') + 1;
        String header = line.substring(0, colon);
        String path = line.substring(colon).strip();
        if (isUpdate && each.startsWith(" ") && !FILES.contains(header)) {
          continue; // A line of the file that stays.
        }
        if (!FILES.contains(header)
            || path.isEmpty()
            || path.chars().anyMatch(Character::isISOControl)) {
          throw Shape.wrong("patch", "has a line that is not known: " + line);
        }
        paths.add(path);
        isUpdate = header.equals(UPDATE) || (isUpdate && header.equals(MOVE));
      }
    }
    if (paths.isEmpty()) {
      throw Shape.wrong("patch", "names no file");
    }
    return paths;
  }
}
