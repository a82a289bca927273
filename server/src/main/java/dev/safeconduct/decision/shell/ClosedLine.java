package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A line that all shells read alike, because it lies wholly inside a small grammar (validators
 * section 4.7).
 *
 * @param compound whether it holds a separator, be it at its end, or a redirection
 * @param fault what lies outside the grammar and where; the commands are then not complete
 */
record ClosedLine(List<SimpleCommand> commands, boolean compound, Optional<String> fault) {
  private static final int MOST_WORDS = 256;
  private static final int MOST_COMMANDS = 64;
  private static final Set<String> SHELLS =
      Stream.of("sh", "bash", "dash", "zsh")
          .flatMap(shell -> Stream.of(shell, shell + ".exe"))
          .collect(Collectors.toUnmodifiableSet());

  /** Shell commands that evaluate their words as arithmetic or as subscripts. */
  private static final Set<String> EVALUATING =
      Words.set(
          """
          test printf print read unset let set shift exit logout bye return break continue
          declare typeset local export readonly integer float mapfile readarray getopts wait
          kill ulimit umask pushd popd fc history sched vared
          """);

  static ClosedLine of(Facts facts) {
    return facts.once("shell.closed", () -> read(facts.context()));
  }

  static ClosedLine read(JsonObject context) {
    String command = context.text("command");
    List<String> args = context.array("args").map(JsonArray::texts).orElse(List.of());
    Set<String> env = context.child("env").names();
    boolean posix =
        context
            .string("shell")
            .map(shell -> SHELLS.contains(CommandWords.base(shell)))
            .orElse(true);
    ClosedLine line = posix ? new ClosedLexer(command, env).read() : readPlain(command, args);
    return line.fault.isPresent() ? line : line.with(args).checked(!env.isEmpty());
  }

  static ClosedLine outside(String fault) {
    return new ClosedLine(List.of(), false, Optional.of(fault));
  }

  private ClosedLine with(List<String> args) {
    if (args.isEmpty()) {
      return this;
    }
    if (commands.isEmpty()) {
      return outside("args without a command");
    }
    if (compound) {
      return outside("args beside more than one command or a redirection");
    }
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      for (int at = 0; at < arg.length(); at++) {
        if (";&|<>()$`\n\r".indexOf(arg.charAt(at)) >= 0) {
          return outside("a character that shells act on in args[" + i + "]");
        }
      }
    }
    var words = new ArrayList<Word>(commands.getFirst().parts());
    args.forEach(arg -> words.add(Word.literal(arg)));
    return new ClosedLine(List.of(new SimpleCommand(words, List.of())), false, fault);
  }

  private ClosedLine checked(boolean env) {
    if (commands.size() > MOST_COMMANDS) {
      return outside("more than " + MOST_COMMANDS + " commands");
    }
    int words = 0;
    for (SimpleCommand command : commands) {
      words += command.size();
      if (EVALUATING.contains(command.program()) && (env || command.evaluates())) {
        return outside(
            "\"" + command.program() + "\" with \"[\", \"$\" or a backtick in a word or with env");
      }
    }
    return words > MOST_WORDS ? outside("more than " + MOST_WORDS + " words") : this;
  }

  /** A line for a shell that is not of the sh family: letters, digits and a few more characters. */
  private static ClosedLine readPlain(String command, List<String> args) {
    int place = firstOther(command);
    if (place >= 0) {
      return outside(
          "for a shell that is not sh, bash, dash or zsh, the character "
              + ClosedLexer.shown(command, place));
    }
    for (int i = 0; i < args.size(); i++) {
      if (firstOther(args.get(i)) >= 0) {
        return outside(
            "for a shell that is not sh, bash, dash or zsh, a character of args[" + i + "]");
      }
    }
    var words = new ArrayList<Word>();
    for (String word : command.split(" ", -1)) {
      if (!word.isEmpty()) {
        words.add(Word.literal(word));
      }
    }
    if (words.isEmpty() || !SimpleCommand.isCommandWord(words.getFirst().text())) {
      return outside("a line that does not begin with the name of a command");
    }
    return new ClosedLine(List.of(new SimpleCommand(words, List.of())), false, Optional.empty());
  }

  private static int firstOther(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!CommandWords.isLetter(c) && !CommandWords.isDigit(c) && " _./:+=,-".indexOf(c) < 0) {
        return i;
      }
    }
    return -1;
  }
}
