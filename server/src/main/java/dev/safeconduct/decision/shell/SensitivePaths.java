package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.BuiltInPaths;
import dev.safeconduct.decision.path.LexicalPath;
import dev.safeconduct.decision.path.PathPatterns;
import dev.safeconduct.decision.path.PathReadings;
import dev.safeconduct.decision.path.PathSet;
import dev.safeconduct.text.Folding;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Paths a command line may not name without permission (validators section 4.5). */
final class SensitivePaths {
  private static final List<String> DIRECTORIES = List.of("etc", "sys", "proc", "boot", "root");

  private static final int LONG = 400;
  private static final int ENDS = 24;

  /** So few characters hold too few {@code ..} to leave the end of a shortened directory. */
  private static final int FEW_CLIMBS = 60;

  private final PathPatterns opened;
  private final List<String> directories;
  private final List<String> shortened;

  /** The working directory, if only the rest decides how a path below it is read. */
  private final PathSet.@Nullable Within within;

  private final Set<String> read = new LinkedHashSet<>();
  private final Set<String> written = new HashSet<>();

  /** Whether a command of the line may write a file that it names. */
  private boolean writes;

  /**
   * @param opened the owner's lists of sensitive paths that a command may name
   */
  SensitivePaths(PathPatterns opened, String cwd) {
    this.opened = opened;
    directories = CommandPaths.directories(cwd);
    String directory = directories.getFirst();
    shortened =
        directories.size() == 1 && directory.length() <= LONG
            ? directories
            : directories.stream().map(SensitivePaths::shortened).toList();
    within =
        directories.size() == 1
                && LexicalPath.isAbsolute(directory)
                && PathReadings.isPlain(directory + "x")
                && !mayBeSystemDirectory(directory)
            ? BuiltInPaths.SENSITIVE.within(directory)
            : null;
  }

  /** The first path in the line that is sensitive and not opened. */
  Optional<String> find(CommandLine line) {
    for (Segment segment : line.throughShells()) {
      writes |= writes(segment);
    }
    for (Segment segment : line.throughShells()) {
      collect(segment);
    }
    for (String candidate : read) {
      Optional<String> found = sensitive(candidate, written.contains(candidate));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static boolean writes(Segment segment) {
    for (String word : segment.words()) {
      if (word.indexOf('>') >= 0) {
        return true;
      }
    }
    return segment.commandWord().equals("tee");
  }

  private void collect(Segment segment) {
    List<String> words = segment.words();
    var writing = new HashSet<String>();
    if (writes) {
      for (int place : Redirections.targetWords(words)) {
        writing.add(words.get(place));
        add(Redirections.target(words.get(place)), true);
      }
      if (segment.commandWord().equals("tee")) {
        for (String operand : segment.operands()) {
          writing.add(operand);
          add(operand, true);
        }
      }
    }
    for (String word : words) {
      addPieces(word, writing.contains(word));
    }
  }

  private void add(String candidate, boolean writes) {
    if (candidate.isEmpty() || (!this.writes && isHarmless(candidate))) {
      return; // as nearly always
    }
    read.add(candidate);
    if (writes) {
      written.add(candidate);
    }
  }

  private void addPieces(String word, boolean writes) {
    if (holdsWhiteSpace(word)) {
      if ("/~$.".indexOf(word.charAt(0)) >= 0) {
        add(word, writes);
      }
      return;
    }
    int start = 0;
    int root = -1; // where a file: URL or a drive begins
    for (int i = 0; i <= word.length(); i++) {
      if (i == word.length() || "=@:,<>'\"".indexOf(word.charAt(i)) >= 0) {
        String piece = word.substring(start, i);
        add(piece, writes);
        if (root >= 0) {
          add(word.substring(root, i), writes);
        }
        boolean begins =
            word.startsWith(":", i) && (isDrive(piece) || piece.equalsIgnoreCase("file"));
        root = begins ? start : -1;
        start = i + 1;
      }
    }
  }

  private static boolean isDrive(String piece) {
    return piece.length() == 1 && CommandWords.isLetter(piece.charAt(0));
  }

  private static boolean holdsWhiteSpace(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (Folding.isWhiteSpace(word.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a command may read the path, without a look at more than its own text. */
  private boolean isHarmless(String candidate) {
    return within != null
        && "/~$".indexOf(candidate.charAt(0)) < 0
        && PathReadings.isPlain(candidate)
        && !within.hits(candidate);
  }

  private Optional<String> sensitive(String candidate, boolean written) {
    if (!written && isHarmless(candidate)) {
      return Optional.empty();
    }
    boolean climbsFar = candidate.length() > FEW_CLIMBS && candidate.contains("..");
    // Most lines need no look at the whole of a long working directory for each of their words.
    for (String form : CommandPaths.joined(candidate, climbsFar ? directories : shortened)) {
      if (isSensitive(form, written)) {
        for (String whole : CommandPaths.joined(candidate, directories)) {
          if (isSensitive(whole, written) && !opened.match(LexicalPath.normalise(whole))) {
            return Optional.of(whole);
          }
        }
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /**
   * A shorter directory below which the same relative paths are sensitive: no pattern has more
   * parts than the ends that are kept, or a longer part.
   */
  private static String shortened(String directory) {
    if (directory.length() <= LONG || isSensitive(directory, true)) {
      return directory;
    }
    String[] parts = directory.split("/", -1);
    var kept = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      if (i <= ENDS || i >= parts.length - ENDS) {
        String part = parts[i];
        int length = part.length();
        kept.append(
            length <= 2 * ENDS ? part : part.substring(0, ENDS) + part.substring(length - ENDS));
        kept.append(i < parts.length - 1 ? "/" : "");
      }
    }
    return kept.toString();
  }

  private static boolean isSensitive(String form, boolean written) {
    for (String reading : PathReadings.of(form)) {
      if (BuiltInPaths.SENSITIVE.hits(reading)
          || (written && BuiltInPaths.WRITE_DEFAULT.hits(reading))) {
        return true;
      }
    }
    return LexicalPath.isAbsolute(form) && mayBeSystemDirectory(LexicalPath.normalise(form));
  }

  /** Whether the first part of the absolute path may expand to a system directory. */
  private static boolean mayBeSystemDirectory(String path) {
    int slash = path.indexOf('/', 1);
    int end = slash < 0 ? path.length() : slash;
    boolean braced = path.startsWith("{", 1);
    boolean wild = false;
    for (int i = 1; i < slash; i++) {
      wild |= "*?[".indexOf(path.charAt(i)) >= 0;
    }
    if (!braced && !wild) {
      return false;
    }
    String first = path.substring(1, end);
    for (String name : DIRECTORIES) {
      if ((braced && first.startsWith(name, 1)) || (wild && matches(first, name))) {
        return true;
      }
    }
    return false;
  }

  /** Matches a glob in which {@code [} to {@code ]} stands for any one character. */
  private static boolean matches(String glob, String name) {
    var reached = new boolean[name.length() + 1];
    reached[0] = true;
    int lastClose = glob.lastIndexOf(']');
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      var next = new boolean[name.length() + 1];
      int close = c == '[' && i + 2 <= lastClose ? glob.indexOf(']', i + 2) : -1;
      for (int j = 0; j <= name.length(); j++) {
        if (c == '*') {
          next[j] = reached[j] || (j > 0 && next[j - 1]);
        } else {
          next[j] = j > 0 && reached[j - 1] && (c == '?' || close > 0 || c == name.charAt(j - 1));
        }
      }
      i = close > 0 ? close : i;
      reached = next;
    }
    return reached[name.length()];
  }
}
