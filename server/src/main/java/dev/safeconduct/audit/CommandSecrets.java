package dev.safeconduct.audit;

import dev.safeconduct.audit.SecretFinder.Span;
import dev.safeconduct.audit.SecretOption.Next;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the secrets that command lines give to programs, by {@code secrets.json}. It splits a text
 * into words as shells do, but never fails: any text may hold a command.
 */
final class CommandSecrets {
  private static final int DEEPEST = 3;
  private static final int RANDOM = 6;

  /** How many words after a program's name its further words may be. */
  private static final int FURTHEST = 12;

  /** Before {@code by} and a password. */
  static final String IDENTIFIED = "identified";

  /** The characters that end a word, and those that end a command. */
  private static final boolean[] ENDS = marks(";&|()<>`");

  private static final boolean[] SEPARATES = marks("\n;&()`|");

  private final String text;
  private List<Span> found;
  private boolean idle = true;

  /** Whether words are only looked at, to tell whether any needs more. */
  private boolean looking = true;

  /** Whether the executor may join the arguments to a line, so that some are operators. */
  private final boolean joined;

  /** Whether an argument is such an operator. */
  private boolean joins;

  private CommandSecrets(String text, List<Span> found, boolean joined) {
    this.text = text;
    this.found = found;
    this.joined = joined;
  }

  /** {@code quote}: the quotes around all of the word, if any. */
  private record Word(int start, int end, char quote, SecretWord known) {
    String text() {
      return known.text();
    }
  }

  /**
   * Returns the secrets found, with those that the text's commands take.
   *
   * @param arguments where arguments begin that are words as they are
   */
  static List<Span> find(String text, int arguments, List<Span> found) {
    if (arguments < text.length() || hasWords(text, 0, text.length(), '\0')) {
      var commands = new CommandSecrets(text, found, true);
      commands.read(arguments);
      if (commands.joins) {
        commands = new CommandSecrets(text, commands.found, false);
        commands.read(arguments);
      }
      return commands.found;
    }
    return found;
  }

  private void read(int arguments) {
    split(0, text.length(), arguments, 0);
    if (!idle) {
      looking = false;
      split(0, text.length(), arguments, 0);
    }
  }

  private static boolean hasWords(String text, int from, int to, char except) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c <= ' ' && c != except) {
        return true;
      }
    }
    return false;
  }

  private static boolean[] marks(String characters) {
    var marks = new boolean[128];
    characters.chars().forEach(c -> marks[c] = true);
    return marks;
  }

  private static boolean in(boolean[] marks, char c) {
    return c < marks.length && marks[c];
  }

  private void split(int from, int to, int arguments, int depth) {
    List<Word> segment = looking ? List.of() : new ArrayList<>();
    List<Word> input = List.of();
    int i = from;
    while (i < to && (idle || !looking)) {
      char c = text.charAt(i);
      if (i >= arguments && c != SecretFinder.BETWEEN && !isOperator(i, to)) {
        i = word(i, to, arguments, depth, segment);
      } else if (in(SEPARATES, c)) {
        boolean pipe = c == '|' && !text.startsWith("||", i);
        if (looking) {
          idle &= !pipe; // the next command may read a secret
        } else {
          command(segment, input);
          boolean written =
              pipe
                  && !segment.isEmpty()
                  && SecretTable.WRITERS.contains(segment.getFirst().known.lower());
          input = written ? new ArrayList<>(segment.subList(1, segment.size())) : List.of();
          segment = new ArrayList<>();
        }
        i += c == '|' && !pipe ? 2 : 1;
      } else if (c == '<' && text.startsWith("<<<", i)) {
        idle = false;
        input = input.isEmpty() ? new ArrayList<>() : input;
        i = word(skip(i + 3, to), to, arguments, depth, input);
      } else if (c <= ' ' || c == '<' || c == '>') {
        i++;
      } else {
        i = word(i, to, arguments, depth, segment);
      }
    }
    if (!looking) {
      command(segment, input);
    }
  }

  /** Whether the argument is an operator, for an executor that joins arguments to a line. */
  private boolean isOperator(int from, int to) {
    int end = from;
    while (end < to && ";&|<".indexOf(text.charAt(end)) >= 0) {
      end++;
    }
    boolean operator = end > from && (end == to || text.charAt(end) == SecretFinder.BETWEEN);
    joins |= operator;
    return operator && joined;
  }

  private int skip(int from, int to) {
    int i = from;
    while (i < to && text.charAt(i) <= ' ') {
      i++;
    }
    return i;
  }

  /** Adds the word that begins there, and looks into its quoted parts; returns its end. */
  private int word(int start, int to, int arguments, int depth, List<Word> words) {
    int i = start;
    char all = 0;
    if (start >= arguments) {
      while (i < to && text.charAt(i) != SecretFinder.BETWEEN) {
        i++;
      }
      nested(start, i, depth);
    } else {
      while (i < to && !ends(text.charAt(i))) {
        char c = text.charAt(i);
        if (c == '\\') {
          i = Math.min(to, i + 2);
        } else if (c == '"' || c == '\'') {
          int close = close(i + 1, to, c);
          nested(i + 1, close, depth);
          all = i == start && (close + 1 >= to || ends(text.charAt(close + 1))) ? c : 0;
          i = Math.min(to, close + 1);
        } else {
          i++;
        }
      }
    }
    if (i > start) {
      int from = all == 0 ? start : start + 1;
      int end = all == 0 ? i : Math.max(start + 1, text.charAt(i - 1) == all ? i - 1 : i);
      if (looking) {
        idle = idle && isIdle(from, end);
      } else {
        words.add(new Word(from, end, all, SecretWord.of(text, from, end)));
      }
    }
    return Math.max(i, start + 1);
  }

  private boolean isIdle(int start, int end) {
    if (end - start > SecretWord.LONG && "-/".indexOf(text.charAt(start)) < 0) {
      int file = end;
      while (file > start && "/\\".indexOf(text.charAt(file - 1)) < 0) {
        file--;
      }
      return end - file > SecretWord.LONG || !SecretWord.of(text, file, end).takesSecrets();
    }
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80) {
        return SecretWord.of(text, start, end).idle();
      }
    }
    return true; // no name and no program is without letters
  }

  private static boolean ends(char c) {
    return c <= ' ' || in(ENDS, c);
  }

  private int close(int from, int to, char quote) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == quote) {
        return i;
      }
      if (c == '\\' && quote == '"') {
        i++;
      }
    }
    return to;
  }

  private void nested(int from, int to, int depth) {
    if (depth < DEEPEST && hasWords(text, from, to, SecretFinder.BETWEEN)) {
      split(from, to, text.length(), depth + 1);
    }
  }

  /** {@code input}: the words that it reads from a pipe. */
  private void command(List<Word> words, List<Word> input) {
    if (!input.isEmpty() && reads(words)) {
      for (Word word : input) {
        String value = word.text();
        if (!value.startsWith("-") && !value.startsWith("%")) {
          secret(word, '\0');
        }
      }
    }
    List<SecretOption> options = List.of();
    boolean known = false;
    boolean sets = false;
    for (int i = 0; i < words.size(); i++) {
      Word word = words.get(i);
      if (word.end() == word.start()) {
        continue;
      }
      if (word.known.isOption()) {
        String option = word.text();
        known(options, option, words, i);
        generic(option, words, i, known);
        if (option.startsWith("/")) {
          bare(option, words, i, sets);
        }
        continue;
      }
      String name = word.known.lower();
      List<SecretTable.Command> commands = word.known.commands();
      if (commands != null) {
        options = options(commands, words, i);
        known = true;
        positions(options, commands, words, i);
      } else {
        known(options, name, words, i);
        sets |= SecretTable.SETTERS.contains(name);
        bare(name, words, i, sets);
      }
    }
  }

  private List<SecretOption> options(List<SecretTable.Command> commands, List<Word> words, int i) {
    var options = new ArrayList<SecretOption>();
    for (SecretTable.Command command : commands) {
      if (after(command.further(), words, i) >= 0) {
        options.addAll(command.options());
      }
    }
    return options;
  }

  /** Returns the place of the last of the further words after a place; -1 if one is missing. */
  private int after(List<String> further, List<Word> words, int i) {
    int last = i;
    for (String needed : further) {
      int at = -1;
      for (int k = i + 1; k < words.size() && k <= i + FURTHEST && at < 0; k++) {
        String word = words.get(k).text();
        boolean cluster =
            needed.length() == 2
                && needed.charAt(0) == '-'
                && word.length() > 1
                && word.charAt(0) == '-'
                && word.charAt(1) != '-'
                && word.indexOf(needed.charAt(1)) > 0;
        at = cluster || SecretOption.matches(needed, word) ? k : -1;
      }
      if (at < 0) {
        return -1;
      }
      last = Math.max(last, at);
    }
    return last;
  }

  /** Whether the command reads a secret from its input. */
  private boolean reads(List<Word> words) {
    for (List<String> reader : SecretTable.READERS) {
      for (int i = 0; i < Math.min(words.size(), FURTHEST); i++) {
        boolean any = reader.getFirst().equals("*");
        if ((any || words.get(i).known.program().equals(reader.getFirst()))
            && after(reader.subList(1, reader.size()), words, any ? -1 : i) >= 0) {
          return true;
        }
      }
    }
    return false;
  }

  /** The arguments that are secrets by their position. */
  private void positions(
      List<SecretOption> options, List<SecretTable.Command> commands, List<Word> words, int i) {
    for (SecretOption option : options) {
      if (option.position() == 0) {
        continue;
      }
      int from = i;
      for (SecretTable.Command command : commands) {
        if (command.options().contains(option)) {
          from = Math.max(from, after(command.further(), words, i));
        }
      }
      int place = 0;
      Word last = null;
      for (Word word : words.subList(from + 1, words.size())) {
        String value = word.text();
        if (value.startsWith("-") || value.startsWith("/") || value.startsWith("\\\\")) {
          continue;
        }
        place++;
        last = word;
        boolean drive = value.endsWith(":") || value.equals("*");
        if (place == option.position() || (option.position() == SecretOption.ALL && !drive)) {
          secret(word, option.separator());
        }
      }
      if (option.position() == SecretOption.LAST && last != null) {
        secret(last, option.separator());
      }
    }
  }

  /** An option or keyword of a listed program. */
  private void known(List<SecretOption> options, String word, List<Word> words, int i) {
    for (SecretOption option : options) {
      String name = option.name();
      if (option.position() != 0) {
        continue;
      }
      if (word.equals(name) || (name.length() > 2 && SecretOption.matches(name, word))) {
        next(words, i, option.separator(), option.next() == Next.IF_RANDOM);
      } else if (option.next() != Next.ONLY) {
        attached(option, words, i);
      }
    }
  }

  /** An option with its value in the same word, or as the last of several letters. */
  private void attached(SecretOption option, List<Word> words, int i) {
    String name = option.name();
    String word = words.get(i).text();
    if (name.charAt(0) == '/' && word.startsWith(name)) {
      rest(words.get(i), name.length(), option.separator());
    } else if (name.startsWith("--") && word.startsWith(name + "=")) {
      rest(words.get(i), name.length() + 1, option.separator());
    } else if (option.isShort() && word.length() > name.length() && word.charAt(1) != '-') {
      int length = name.length();
      if (word.startsWith(name)) {
        rest(words.get(i), word.charAt(length) == '=' ? length + 1 : length, option.separator());
      } else if (length == 2
          && word.charAt(0) == '-'
          && word.charAt(word.length() - 1) == name.charAt(1)
          && word.chars().skip(1).allMatch(Character::isLetter)) {
        next(words, i, option.separator(), option.next() == Next.IF_RANDOM);
      }
    }
  }

  /** An option of any program, by its name; short ones of unlisted programs by what follows. */
  private void generic(String option, List<Word> words, int i, boolean known) {
    String name = option.substring(SecretOption.dashes(option));
    if (name.isEmpty() || SecretOption.isSeparated(name)) {
      return;
    }
    if (name.length() == 1) {
      if (!known && SecretOption.SHORT_PASSWORDS.indexOf(name) >= 0) {
        next(words, i, '\0', true);
      } else if (!known && SecretOption.SHORT_USERS.indexOf(name) >= 0) {
        next(words, i, ':', true);
      }
      return;
    }
    switch (SecretNames.kind(name)) {
      case STRONG -> next(words, i, '\0', false);
      case WEAK -> {
        next(words, i, '\0', !name.equals("pass") && !name.equals("pw") && !name.equals("token"));
        if (name.equals("auth")) {
          next(words, i, ':', false);
        }
      }
      case NONE -> {
        if (!known && SecretOption.isAttachedPassword(option)) {
          rest(words.get(i), 2, '\0');
        }
      }
    }
  }

  /** A name as a word of its own, with its value as the next. */
  private void bare(String word, List<Word> words, int i, boolean sets) {
    if (i + 1 >= words.size() || word.length() > 64 || word.indexOf('=') >= 0) {
      return;
    }
    boolean identified =
        word.equals("by") && i > 0 && words.get(i - 1).known.lower().equals(IDENTIFIED);
    SecretNames.Kind kind = identified ? SecretNames.Kind.STRONG : words.get(i).known.kind();
    if (kind == SecretNames.Kind.NONE || word.endsWith(":")) {
      return;
    }
    if (words.get(i + 1).known.lower().equals("for")) {
      // SET PASSWORD FOR user = 'value'
      for (int k = i + 2; k < words.size() && k < i + 6; k++) {
        if (words.get(k).text().equals("=")) {
          next(words, k, '\0', false);
        }
      }
    }
    if (words.get(i + 1).known.lower().equals("is")) {
      next(words, i + 1, '\0', true);
    }
    boolean certain =
        kind == SecretNames.Kind.STRONG && (sets || identified || words.get(i + 1).quote() == '\'');
    next(words, i, '\0', !certain);
  }

  private void next(List<Word> words, int i, char separator, boolean ifRandom) {
    if (i + 1 >= words.size()) {
      return;
    }
    Word word = words.get(i + 1);
    String value = word.text();
    if (value.length() > 1 && value.charAt(0) == '-' && !value.contains(":")) {
      return;
    }
    String secret = separator == '\0' ? value : value.substring(value.indexOf(separator) + 1);
    if (!ifRandom || SecretFinder.isRandom(secret, RANDOM)) {
      secret(word, separator);
    }
  }

  private void rest(Word word, int from, char separator) {
    if (word.start() + from < word.end()) {
      secret(new Word(word.start() + from, word.end(), word.quote(), word.known), separator);
    }
  }

  /** Adds the word, or its part after the separator. */
  private void secret(Word word, char separator) {
    int start = word.start();
    int end = word.end();
    if (separator == '@') {
      int host = text.lastIndexOf('@', end - 1);
      int colon = text.indexOf(':', start);
      if (colon < 0 || colon > host) {
        return;
      }
      start = colon + 1;
      end = host;
    } else if (separator != '\0') {
      int at = text.indexOf(separator, start);
      if (at < 0 || at >= end) {
        return;
      }
      boolean alone = text.substring(at + 1, end).chars().allMatch(c -> "\"'`\\".indexOf(c) >= 0);
      start = alone ? start : at + 1; // curl -u TOKEN:"" has a user only
      int host = separator == '/' ? text.indexOf('@', start) : -1;
      end = alone ? at : host > start && host < end ? host : end;
    }
    while (end - start > 1
        && SecretFinder.isQuote(text.charAt(start))
        && text.charAt(end - 1) == text.charAt(start)) {
      start++;
      end--;
    }
    if (end > start
        && (word.quote() == '\'' || !SecretFinder.isReference(text.substring(start, end)))) {
      found = SecretFinder.with(found, new Span(start, end));
    }
  }
}
