package dev.safeconduct.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The command line that an agent runs: the hook program with its address and passport, no key. */
record HookCommandLine(
    Path program,
    String agent,
    String url,
    String agentId,
    Optional<Path> keyFile,
    boolean localApproval) {
  static final String PROGRAM = "safeconduct-hook";

  /** Returns the text for {@code sh -c}. */
  String text() {
    var words =
        new ArrayList<>(List.of(program.toString(), agent, "--url", url, "--agent-id", agentId));
    keyFile.ifPresent(file -> words.addAll(List.of("--key-file", file.toString())));
    if (localApproval) {
      words.add("--local-approval");
    }
    return String.join(" ", words.stream().map(HookCommandLine::quoted).toList());
  }

  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Whether the text is a command line of the hook program for this agent. */
  static boolean isOf(String agent, String text) {
    return read(text).filter(line -> line.agent().equals(agent)).isPresent();
  }

  /** Reads a command line; empty if it does not run the hook program. */
  static Optional<HookCommandLine> read(String text) {
    List<String> words = words(text);
    if (words.size() < 2) {
      return Optional.empty();
    }
    try {
      Path program = Path.of(words.getFirst());
      if (program.getFileName() == null || !program.getFileName().toString().equals(PROGRAM)) {
        return Optional.empty();
      }
      return Optional.of(
          new HookCommandLine(
              program,
              words.get(1),
              option(words, "--url").orElse("http://127.0.0.1:8080"),
              option(words, "--agent-id").orElse(""),
              option(words, "--key-file").map(Path::of),
              words.contains("--local-approval")));
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }

  private static Optional<String> option(List<String> words, String name) {
    int at = words.indexOf(name);
    return at < 0 || at + 1 == words.size() ? Optional.empty() : Optional.of(words.get(at + 1));
  }

  /** Splits a command as a shell does, without expanding anything. */
  private static List<String> words(String text) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    boolean open = false;
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        open = true;
      } else if (c == ' ' || c == '\t') {
        if (open) {
          words.add(word.toString());
        }
        word.setLength(0);
        open = false;
      } else {
        word.append(c == '\\' && i + 1 < text.length() ? text.charAt(++i) : c);
        open = true;
      }
    }
    if (open) {
      words.add(word.toString());
    }
    return words;
  }
}
