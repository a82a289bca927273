package dev.safeconduct.audit;

import dev.safeconduct.audit.SecretFinder.Span;
import dev.safeconduct.audit.SecretOption.Next;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds the secrets that command lines give to programs, by {@code secrets.json}. It splits a text
 * into words as shells do, but never fails: any text may hold a command.
 */
final class CommandSecrets {
  private static final int DEEPEST = 3;

  /** How many words after a program's name its further words may be. */
  private static final int FURTHEST = 12;

  private static final int RANDOM = 6;

  private final String text;
  private final int arguments;
  private final List<Span> found;

  private CommandSecrets(String text, int arguments, List<Span> found) {
    this.text = text;
    this.arguments = arguments;
    this.found = found;
  }

  /** {@code quote}: the quotes around all of the word, if any. */
  private record Word(int start, int end, char quote) {}

  /**
   * Adds what the text's commands take as secrets.
   *
   * @param arguments where arguments begin that are words as they are
   */
  static void find(String text, int arguments, List<Span> found) {
    if (arguments < text.length() || hasWords(text)) {
      new CommandSecrets(text, arguments, found).split(0, text.length(), 0);
    }
  }

  private static boolean hasWords(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ') {
        return true;
      }
    }
    return false;
  }

  private void split(int from, int to, int depth) {
    var segment = new ArrayList<Word>();
    var input = new ArrayList<Word>();
    int i = from;
    while (i < to) {
      char c = text.charAt(i);
      if (i >= arguments && c != SecretFinder.BETWEEN) {
        i = word(i, to, depth, segment);
      } else if (c == '\n' || ";&()`|".indexOf(c) >= 0) {
        boolean pipe = c == '|' && !text.startsWith("||", i);
        command(segment, input);
        input = new ArrayList<>();
        if (pipe && !segment.isEmpty() && SecretTable.WRITERS.contains(lower(segment.getFirst()))) {
          input.addAll(segment.subList(1, segment.size()));
        }
        segment = new ArrayList<>();
        i += c == '|' && !pipe ? 2 : 1;
      } else if (text.startsWith("<<<", i)) {
        i = word(skip(i + 3, to), to, depth, input);
      } else if (c <= ' ' || c == '<' || c == '>') {
        i++;
      } else {
        i = word(i, to, depth, segment);
      }
    }
    command(segment, input);
  }

  private int skip(int from, int to) {
    int i = from;
    while (i < to && text.charAt(i) <= ' ') {
      i++;
    }
    return i;
  }

  /** Adds the word that begins there, and looks into its quoted parts; returns its end. */
  private int word(int start, int to, int depth, List<Word> words) {
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
      words.add(
          all == 0
              ? new Word(start, i, all)
              : new Word(
                  start + 1, Math.max(start + 1, text.charAt(i - 1) == all ? i - 1 : i), all));
    }
    return Math.max(i, start + 1);
  }

  private static boolean ends(char c) {
    return c <= ' ' || ";&|()<>`".indexOf(c) >= 0;
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
    if (depth < DEEPEST) {
      for (int i = from; i < to; i++) {
        if (text.charAt(i) <= ' ' && text.charAt(i) != SecretFinder.BETWEEN) {
          new CommandSecrets(text, text.length(), found).split(from, to, depth + 1);
          return;
        }
      }
    }
  }

  /** {@code input}: the words that it reads from a pipe. */
  private void command(List<Word> words, List<Word> input) {
    if (!input.isEmpty() && reads(words)) {
      for (Word word : input) {
        String value = string(word);
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
      char first = text.charAt(Math.min(word.start(), text.length() - 1));
      if (word.end() == word.start()) {
        continue;
      }
      if (first == '-' || first == '/') {
        String option = string(word);
        known(options, option, words, i);
        generic(option, words, i, known);
        if (first == '/') {
          bare(option, words, i, sets);
        }
        continue;
      }
      String name = lower(word);
      List<SecretTable.Command> commands = SecretTable.commands(program(name));
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
        String word = string(words.get(k));
        boolean cluster =
            needed.length() == 2
                && needed.charAt(0) == '-'
                && word.length() > 1
                && word.charAt(0) == '-'
                && word.charAt(1) != '-'
                && word.indexOf(needed.charAt(1)) > 0;
        at = cluster || word.equalsIgnoreCase(needed) ? k : -1;
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
        if ((any || program(lower(words.get(i))).equals(reader.getFirst()))
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
        String value = string(word);
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
      if (word.equals(name) || (name.length() > 2 && word.equalsIgnoreCase(name))) {
        next(words, i, option.separator(), option.next() == Next.IF_RANDOM);
      } else if (option.next() != Next.ONLY) {
        attached(option, words, i);
      }
    }
  }

  /** An option with its value in the same word, or as the last of several letters. */
  private void attached(SecretOption option, List<Word> words, int i) {
    String name = option.name();
    String word = string(words.get(i));
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
    int dashes = 0;
    while (dashes < option.length() && "-/".indexOf(option.charAt(dashes)) >= 0) {
      dashes++;
    }
    String name = option.substring(dashes);
    if (name.isEmpty() || name.chars().anyMatch(c -> c == '=' || c == ':' || c == '/')) {
      return;
    }
    if (name.length() == 1) {
      if (!known && "pPwWk".indexOf(name) >= 0) {
        next(words, i, '\0', true);
      } else if (!known && "uU".indexOf(name) >= 0) {
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
        String rest = name.substring(1);
        if (!known
            && dashes == 1
            && "pP".indexOf(name.charAt(0)) >= 0
            && SecretFinder.isRandom(rest, 8)) {
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
    boolean identified = word.equals("by") && i > 0 && lower(words.get(i - 1)).equals("identified");
    SecretNames.Kind kind =
        identified ? SecretNames.Kind.STRONG : SecretNames.kind(string(words.get(i)));
    if (kind == SecretNames.Kind.NONE || word.endsWith(":")) {
      return;
    }
    if (lower(words.get(i + 1)).equals("for")) {
      // SET PASSWORD FOR user = 'value'
      for (int k = i + 2; k < words.size() && k < i + 6; k++) {
        if (string(words.get(k)).equals("=")) {
          next(words, k, '\0', false);
        }
      }
    }
    if (lower(words.get(i + 1)).equals("is")) {
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
    String value = string(word);
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
      secret(new Word(word.start() + from, word.end(), word.quote()), separator);
    }
  }

  /** Adds the word, or its part after the separator. */
  private void secret(Word word, char separator) {
    int start = word.start();
    int end = word.end();
    if (separator != '\0') {
      int at = text.indexOf(separator, start);
      if (at < 0 || at >= end) {
        return;
      }
      start = at + 1;
      int host = separator == '/' ? text.indexOf('@', start) : -1;
      end = host > start && host < end ? host : end;
    }
    while (end - start > 1
        && SecretFinder.isQuote(text.charAt(start))
        && text.charAt(end - 1) == text.charAt(start)) {
      start++;
      end--;
    }
    if (end > start
        && (word.quote() == '\'' || !SecretFinder.isReference(text.substring(start, end)))) {
      found.add(new Span(start, end));
    }
  }

  /** Returns the program's name without its folder and {@code .exe}. */
  private static String program(String word) {
    int slash = Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\'));
    String name = slash < 0 ? word : word.substring(slash + 1);
    return name.endsWith(".exe") ? name.substring(0, name.length() - 4) : name;
  }

  private String string(Word word) {
    return text.substring(word.start(), word.end());
  }

  private String lower(Word word) {
    return string(word).toLowerCase(Locale.ROOT);
  }
}
