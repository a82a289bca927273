package dev.safeconduct.decision.shell;

import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** One simple command of a closed line: its words, and apart from them its redirections. */
final class SimpleCommand {
  private static final Set<String> RESERVED =
      Words.set(
          """
          ! { } [[ if then elif else fi for while until do done case esac in select function
          coproc repeat foreach end
          """);

  private static final Set<String> PRINTERS = Set.of("print", "printf");
  private static final Set<String> READERS =
      Words.set("read mapfile readarray getopts vared unset let wait integer float");
  private static final Pattern COUNTED = Pattern.compile("%[^A-Za-z%]*[hlLjzt]*n");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /**
   * A file that is opened.
   *
   * @param output whether the command writes it
   */
  record Redirection(String target, boolean output) {}

  private final List<Word> parts;
  private final List<Redirection> redirections;
  private final List<String> words;
  private final String text;
  private final List<Integer> starts = new ArrayList<>(2);

  SimpleCommand(List<Word> parts, List<Redirection> redirections) {
    this.parts = parts;
    this.redirections = redirections;
    words = new ArrayList<>(parts.size());
    for (Word part : parts) {
      words.add(part.text());
    }
    text = String.join(" ", words);
    int i = 0;
    while (i < words.size() && Wrapper.isWrapper(words.get(i))) {
      starts.add(i);
      i = Wrapper.endClosed(words, i);
    }
    if (i < words.size()) {
      starts.add(i);
    }
  }

  List<Word> parts() {
    return parts;
  }

  List<Redirection> redirections() {
    return redirections;
  }

  /** The texts of the words. */
  List<String> words() {
    return words;
  }

  /** The words with a space between them. */
  String text() {
    return text;
  }

  /** The number of words and targets. */
  int size() {
    return parts.size() + redirections.size();
  }

  /** Whether the text can name a program and nothing else. */
  static boolean isCommandWord(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!CommandWords.isName(c, 1) && "./-+@%,:".indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty() && !RESERVED.contains(text);
  }

  /**
   * The indexes of the words that start a program: the wrappers, and the command behind them if
   * there is one.
   */
  List<Integer> starts() {
    return starts;
  }

  /** The index of the command behind wrappers; the number of words if there is none. */
  int commandIndex() {
    int last = starts().getLast();
    return Wrapper.isWrapper(parts.get(last).text()) ? parts.size() : last;
  }

  /** The base of the command behind wrappers; empty if there is none. */
  String program() {
    int index = commandIndex();
    return index < parts.size() ? CommandWords.base(parts.get(index).text()) : "";
  }

  /** The words behind the command. */
  List<String> arguments() {
    return words().subList(Math.min(commandIndex() + 1, parts.size()), parts.size());
  }

  /** Whether a word behind the command may be evaluated by a shell's own command. */
  boolean evaluates() {
    for (String word : arguments()) {
      if (word.indexOf('[') >= 0 || word.indexOf('$') >= 0 || word.indexOf('`') >= 0) {
        return true;
      }
    }
    return false;
  }

  /** The names of the variables that the command, one of a shell's own, may fill. */
  List<String> filled() {
    var names = new ArrayList<String>();
    String command = program();
    boolean prints = PRINTERS.contains(command);
    if (!prints && !READERS.contains(command)) {
      return names;
    }
    List<String> arguments = arguments();
    boolean counts = arguments.stream().anyMatch(word -> COUNTED.matcher(word).find());
    if (!prints || counts) { // read PATH?prompt, let a=PATH=1, printf %n PATH
      for (String word : arguments) {
        NAME.matcher(word).results().forEach(name -> names.add(name.group()));
      }
    }
    for (int i = 0; i < arguments.size(); i++) {
      String word = arguments.get(i);
      if (prints) {
        int option = CommandWords.isFlag(word) ? word.indexOf('v') : -1;
        if (option > 0 && option < word.length() - 1) {
          names.add(word.substring(option + 1));
        } else if (option > 0 && i + 1 < arguments.size()) {
          names.add(arguments.get(i + 1));
        }
      } else if (CommandWords.isFlag(word)) {
        for (int from = 2; from < word.length(); from++) {
          names.add(word.substring(from)); // -raPATH
        }
      }
    }
    return names;
  }
}
