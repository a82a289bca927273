package dev.safeconduct.hook;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files in which agents find their hooks. An agent that may write them can remove the hook that
 * asks this service.
 */
final class ProtectedFiles {
  /** Separates what a shell reads as words, also within quotes. */
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[\\s;&|<>()`=,:$\\[\\]]+");

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

    /** Whether the path ends with a directory of the entry. */
    boolean liesIn(List<String> path) {
      for (int length = Math.min(path.size(), parts.size() - 1); length > 0; length--) {
        if (matches(path.subList(path.size() - length, path.size()))) {
          return true;
        }
      }
      return false;
    }

    private boolean matches(List<String> path) {
      for (int i = 0; i < path.size(); i++) {
        // A shell pattern names what it may stand for, but not in place of the first name.
        if (!isNamed(parts.get(i), path.get(i))
            && !(i > 0 && isNamed(path.get(i), parts.get(i).replace("*", "")))) {
          return false;
        }
      }
      return true;
    }

    private static boolean isNamed(String pattern, String name) {
      boolean isLiteral = pattern.indexOf('*') < 0 && pattern.indexOf('?') < 0;
      return isLiteral
          ? pattern.equals(name)
          : Pattern.compile(
                  Pattern.quote(pattern).replace("*", "\\E[^/]*\\Q").replace("?", "\\E.\\Q"))
              .matcher(name)
              .matches();
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
    Optional<String> directory = context.string("cwd").or(() -> cwd);
    List<List<String>> words =
        Stream.concat(
                context.string("command").stream(),
                context.array("args").orElse(JsonArray.EMPTY).strings())
            .flatMap(ProtectedFiles::words)
            .map(word -> FilePaths.parts(FilePaths.absolute(word, directory)))
            .toList();
    List<List<String>> directories =
        words.stream().filter(word -> entries.stream().anyMatch(e -> e.liesIn(word))).toList();
    return Stream.concat(words.stream(), joined(directories, context))
        .flatMap(path -> named(path).stream())
        .findFirst();
  }

  /** Returns the words as names in these directories: a command may change its directory. */
  private static Stream<List<String>> joined(List<List<String>> directories, JsonObject context) {
    return directories.stream()
        .limit(20)
        .flatMap(directory ->
            words(context.string("command").orElse(""))
                .map(word -> {
                  var path = new ArrayList<>(directory);
                  path.addAll(FilePaths.parts(word));
                  return List.copyOf(path);
                }));
  }

  private static Stream<String> words(String text) {
    return Stream.of(text, QUOTING.matcher(text).replaceAll(""))
        .distinct()
        .flatMap(BETWEEN_WORDS::splitAsStream)
        .filter(word -> !word.isEmpty());
  }
}
