package dev.safeconduct.hook;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files in which agents find their hooks. An agent that may write them can remove the hook that
 * asks this service.
 */
final class ProtectedFiles {
  /** Separates what a shell reads as words, also within quotes. */
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[\\s;&|<>()`=,:$\\[\\]]+");

  /** A longer command is refused: no policy allows more than 10,000 characters. */
  private static final int MOST_COMMAND = 20_000;

  /** How many words times parts of the directory are looked at. */
  private static final int MOST_PARTS = 200_000;

  /** Folders in which others have files, too: a bare star there most likely means those. */
  private static final Set<String> SHARED =
      Set.of("hooks", "etc", "programdata", ".github", ".config", ".aws");

  private static final Pattern BARE_STAR = Pattern.compile("\\*+");

  private static final Pattern QUOTING = Pattern.compile("[\"'{}]|\\\\(?=[^\\\\/])");

  private final List<Entry> entries;

  /**
   * @param paths a path from any directory on; one that ends with a slash is a directory with all
   *     below it; {@code *} stands for any characters of a name
   */
  ProtectedFiles(JsonArray paths) {
    this.entries = paths.strings().map(Entry::of).toList();
  }

  private record Entry(String shown, List<String> parts, boolean directory) {
    static Entry of(String path) {
      return new Entry(
          path, List.of(path.replaceFirst("/$", "").split("/", -1)), path.endsWith("/"));
    }

    boolean names(List<String> path) {
      for (int start = 0; start + parts.size() <= path.size(); start++) {
        int end = start + parts.size();
        if ((directory || end == path.size()) && matches(path.subList(start, end))) {
          return true;
        }
      }
      return false;
    }

    /** Returns the directories of the entry that the path ends with. */
    Stream<List<String>> endsOf(List<String> path) {
      return IntStream.range(1, Math.min(path.size() + 1, parts.size()))
          .filter(length -> matches(path.subList(path.size() - length, path.size())))
          .mapToObj(length -> parts.subList(0, length));
    }

    private boolean matches(List<String> path) {
      for (int i = 0; i < path.size(); i++) {
        // A shell pattern names what it may stand for, but not in place of the first name.
        if (!isNamed(parts.get(i), path.get(i)) && !(i > 0 && mayBe(path.get(i), parts.get(i)))) {
          return false;
        }
      }
      return true;
    }

    /** Whether a shell pattern may stand for the name. */
    private boolean mayBe(String pattern, String name) {
      boolean meansOthers =
          SHARED.contains(parts.getFirst()) && BARE_STAR.matcher(pattern).matches();
      return !meansOthers && isNamed(pattern, name.replace("*", ""));
    }

    /** In steps of the product of the lengths at most, because the caller may send the pattern. */
    private static boolean isNamed(String pattern, String name) {
      int star = -1;
      int from = 0;
      int at = 0;
      for (int i = 0; i < name.length(); ) {
        char next = at < pattern.length() ? pattern.charAt(at) : 0;
        if (next == '*') {
          star = at++;
          from = i;
        } else if (at < pattern.length() && (next == '?' || next == name.charAt(i))) {
          at++;
          i++;
        } else if (star >= 0) {
          at = star + 1;
          i = ++from;
        } else {
          return false;
        }
      }
      while (at < pattern.length() && pattern.charAt(at) == '*') {
        at++;
      }
      return at == pattern.length();
    }
  }

  /** Returns the reason to refuse the write or the command, if it names a protected file. */
  Optional<String> refusal(Question question, Optional<String> cwd) {
    JsonObject context = question.context();
    Optional<String> fault =
        switch (question.capability()) {
          case "data.file.write" ->
              context
                  .string("file_path")
                  .flatMap(path -> named(FilePaths.parts(path)))
                  .map(entry -> "This would change " + entry);
          case "system.command.execute" ->
              named(context, cwd).map(entry -> "The command names " + entry);
          default -> Optional.empty();
        };
    return fault.map(text ->
        text
            + ", where agents find their hooks. Hooks refuse this to every agent; a person may"
            + " change the file.");
  }

  private Optional<String> named(List<String> path) {
    return entries.stream().filter(entry -> entry.names(path)).map(Entry::shown).findFirst();
  }

  private Optional<String> named(JsonObject context, Optional<String> cwd) {
    String command = context.text("command");
    List<String> args = context.list("args").texts();
    if (command.length() + args.stream().mapToInt(String::length).sum() > MOST_COMMAND) {
      throw Shape.wrong("command", "is longer than " + MOST_COMMAND + " characters");
    }
    List<String> words =
        Stream.concat(Stream.of(command), args.stream())
            .flatMap(ProtectedFiles::words)
            .distinct()
            .toList();
    List<String> directory = FilePaths.parts(context.string("cwd").or(() -> cwd).orElse(""));
    if ((long) words.size() * directory.size() > MOST_PARTS) {
      throw Shape.wrong("cwd", "is too deep for so long a command");
    }
    List<List<String>> paths =
        words.stream().map(word -> FilePaths.parts(word, directory)).distinct().toList();
    Set<List<String>> parents =
        paths.stream()
            .flatMap(path -> entries.stream().flatMap(entry -> entry.endsOf(path)))
            .collect(Collectors.toSet());
    return Stream.concat(paths.stream(), joined(parents, words))
        .flatMap(path -> named(path).stream())
        .findFirst();
  }

  /** Returns the words as names in these directories: a command may change its directory. */
  private static Stream<List<String>> joined(Set<List<String>> parents, List<String> words) {
    return words.stream()
        .map(word -> FilePaths.parts(word, List.of()))
        .flatMap(name ->
            parents.stream().map(parent -> Stream.concat(parent.stream(), name.stream()).toList()));
  }

  private static Stream<String> words(String text) {
    return Stream.of(text, QUOTING.matcher(text).replaceAll(""))
        .flatMap(BETWEEN_WORDS::splitAsStream)
        .filter(word -> !word.isEmpty())
        .distinct();
  }
}
