package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.shell.SimpleCommand.Redirection;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a line by the grammar of validators section 4.7. It stops at the first construct outside:
 * nothing is guessed, repaired or skipped.
 */
final class ClosedLexer {
  private static final String PLAIN = "_-./,:@%+^=#~";
  private static final Pattern DIGITS_OR_BRACES = Pattern.compile("[0-9]+|\\{\\}");
  private static final String ESCAPED_IN_QUOTES = "\"\\$`";

  private final String line;
  private final Set<String> env;
  private final List<SimpleCommand> commands = new ArrayList<>();
  private int at;
  private boolean compound;
  private @Nullable String fault;

  // The word being read.
  private final StringBuilder text = new StringBuilder();
  private boolean variable;
  private boolean wildcard;
  private boolean quoted;

  /**
   * @param env the names that the context sets: their values are the caller's text
   */
  ClosedLexer(String line, Set<String> env) {
    this.line = line;
    this.env = env;
  }

  ClosedLine read() {
    skip(" \t\n");
    compound = at > 0 && line.substring(0, at).indexOf('\n') >= 0;
    while (fault == null && at < line.length()) {
      command();
      if (fault == null && at < line.length()) {
        compound = true;
        separator();
      }
    }
    if (fault != null) {
      return ClosedLine.outside(fault);
    }
    return new ClosedLine(commands, compound, Optional.empty());
  }

  private void separator() {
    int start = at;
    boolean joins = line.charAt(at) == '|' || line.charAt(at) == '&';
    boolean twice = joins && next() == line.charAt(at);
    if (line.charAt(at) == '&' && !twice) {
      outside(next() == '>' ? "the redirection \"&>\"" : "a background command (&)", at);
      return;
    }
    if (line.startsWith("|&", at) || line.startsWith(";;", at)) {
      outside("\"" + line.substring(at, at + 2) + "\"", at);
      return;
    }
    at += twice ? 2 : 1;
    skip(" \t\n");
    if (joins && at == line.length()) {
      outside("an operator without a command after it", start);
    }
  }

  private void command() {
    var words = new ArrayList<Word>();
    var redirections = new ArrayList<Redirection>();
    skip(" \t");
    int first = at;
    while (fault == null && at < line.length() && !isSeparator(at)) {
      int start = at;
      boolean operator = isRedirection(at);
      if (!operator) {
        word();
        operator = at < line.length() && isRedirection(at);
        if (operator && DIGITS_OR_BRACES.matcher(text).matches()) {
          if (quoted || at - start != 1) {
            outside("\"" + text + "\" directly before a redirection", start);
          }
        } else {
          words.add(new Word(text.toString(), variable, wildcard));
        }
      }
      if (operator && fault == null) {
        if (words.isEmpty()) {
          outside("a redirection in front of the command", start);
        } else {
          redirect(redirections);
        }
      }
      skip(" \t");
    }
    if (fault == null && words.isEmpty()) {
      outside("an operator without a command before it", at);
    } else if (fault == null) {
      commands.add(new SimpleCommand(words, redirections));
      checkCommandWord(words.getFirst(), first);
    }
  }

  private void checkCommandWord(Word name, int place) {
    if (name.expands()) {
      outside("a variable or wildcard as the name of a command", place);
    } else if (!SimpleCommand.isCommandWord(name.text())) {
      outside(
          CommandWords.assigned(name.text()).isPresent()
              ? "an assignment in front of a command (send it in env)"
              : "the command word " + Excerpt.of(name.text()),
          place);
    }
  }

  private void redirect(List<Redirection> redirections) {
    compound = true;
    int start = at;
    for (String other : List.of("<<<", "<<", "<>", "<&", "<(", ">(", ">|", ">>&", ">>|")) {
      if (line.startsWith(other, at)) {
        outside(
            switch (other) {
              case "<<" -> "a here-document (<<)";
              case "<(", ">(" -> "a process substitution (" + other + ")";
              default -> "the redirection \"" + other + "\"";
            },
            start);
        return;
      }
    }
    if (line.startsWith(">&", at)) {
      at += 2;
      if (at == line.length() || !CommandWords.isDigit(line.charAt(at)) || !endsAt(at + 1)) {
        outside("\">&\" before other than one digit", start);
        return;
      }
      at++;
      return;
    }
    boolean output = line.charAt(at) == '>';
    at += line.startsWith(">>", at) ? 2 : 1;
    skip(" ");
    if (endsAt(at)) {
      outside("a redirection without a file", start);
      return;
    }
    int target = at;
    word();
    if (fault != null) {
      return;
    }
    String path = text.toString();
    if (variable || path.isEmpty() || path.chars().anyMatch(c -> "\n*?[]{".indexOf(c) >= 0)) {
      outside("a redirection to other than one plain file name", target);
    } else if (!endsAt(at)) {
      outside("a redirection directly after another", at);
    } else {
      // Only a tilde without quotes stands for the home directory.
      boolean home = path.startsWith("~") && line.charAt(target) != '~';
      redirections.add(new Redirection(home ? "./" + path : path, output));
    }
  }

  private void word() {
    text.setLength(0);
    variable = false;
    wildcard = false;
    quoted = false;
    int start = at;
    while (fault == null && at < line.length() && !endsWord(at)) {
      piece(start);
    }
    if (wildcard && text.indexOf("-") == 0) {
      outside("a wildcard in a word that starts with \"-\" (quote it)", start);
    }
  }

  private void piece(int start) {
    char c = line.charAt(at);
    switch (c) {
      case '\'' -> singleQuotes();
      case '"' -> doubleQuotes();
      case '\\' -> escape();
      case '$' -> variable(true);
      case '`' -> outside("a command substitution", at);
      case '(', ')' -> outside("a bracket (quote it)", at);
      case '{', '}' -> braces(start);
      case '!' -> outside("\"!\" (quote it in '…')", at);
      case '*', '?', '[', ']' -> {
        wildcard = true;
        take(c);
      }
      case '#', '=', '~' -> {
        if (at > start || (c == '~' && (next() == '/' || endsWord(at + 1)))) {
          take(c);
        } else {
          outside(
              switch (c) {
                case '#' -> "a comment (leave it out, or quote the #)";
                case '=' -> "a word that starts with \"=\" (quote it)";
                default -> "\"~\" before other than \"/\" (quote it)";
              },
              at);
        }
      }
      default -> {
        if (!CommandWords.isLetter(c) && !CommandWords.isDigit(c) && PLAIN.indexOf(c) < 0) {
          outside("the character " + shown(line, at) + ", which needs quotes");
        } else {
          take(c);
        }
      }
    }
  }

  private void take(char c) {
    text.append(c);
    at++;
  }

  private void braces(int start) {
    if (at == start && line.startsWith("{}", at) && endsWord(at + 2)) {
      text.append("{}");
      at += 2;
    } else {
      outside("a brace (quote it in '…')", at);
    }
  }

  private void escape() {
    char c = next();
    if (c < ' ' || c > '~') {
      outside(c == '\n' ? "a continued line (\\ before a line end)" : "a \\ before this", at);
      return;
    }
    quoted = true;
    text.append(c);
    at += 2;
  }

  private void singleQuotes() {
    quoted = true;
    int open = at++;
    while (fault == null && at < line.length() && line.charAt(at) != '\'') {
      quotedCharacter();
    }
    close(open);
  }

  private void doubleQuotes() {
    quoted = true;
    int open = at++;
    while (fault == null && at < line.length() && line.charAt(at) != '"') {
      switch (line.charAt(at)) {
        case '\\' -> {
          char c = next();
          if (c < ' ' || c > '~' || c == '!') {
            outside("a \\ before a line end or \"!\" in double quotes (use '…')", at);
          } else {
            text.append(ESCAPED_IN_QUOTES.indexOf(c) >= 0 ? "" : "\\").append(c);
            at += 2;
          }
        }
        case '$' -> variable(false);
        case '`' -> outside("a command substitution", at);
        case '!' -> {
          if (next() != ' ' && next() != '\t') {
            outside("\"!\" in double quotes (use '…')", at);
          } else {
            take('!');
          }
        }
        default -> quotedCharacter();
      }
    }
    close(open);
  }

  private void close(int open) {
    if (fault == null && at == line.length()) {
      outside("a quote that is not closed", open);
    }
    at++;
  }

  private void quotedCharacter() {
    int c = line.codePointAt(at);
    if (!isQuotable(c)) {
      outside("the character " + shown(line, at));
      return;
    }
    text.appendCodePoint(c);
    at += Character.charCount(c);
  }

  private static boolean isQuotable(int c) {
    if (c < 0x7f) {
      return c >= ' ' || c == '\t' || c == '\n';
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /** Reads {@code $NAME} or <code>${NAME}</code>. */
  private void variable(boolean bare) {
    int start = at;
    boolean braced = next() == '{';
    int name = start + (braced ? 2 : 1);
    int end = name;
    while (end < line.length() && CommandWords.isName(line.charAt(end), end - name)) {
      end++;
    }
    if (end == name || (braced && !line.startsWith("}", end))) {
      outside(dollar(start, bare), start);
      return;
    }
    String variableName = line.substring(name, end);
    at = braced ? end + 1 : end;
    if (line.startsWith("[", at) || (!braced && line.startsWith(":", at))) {
      outside("a variable with \"" + line.charAt(at) + "\" after it", start);
    } else if (env.contains(variableName)) {
      outside("the variable " + variableName + ", which env sets,", start);
    }
    variable = true;
    text.append('$').append(variableName);
  }

  private String dollar(int start, boolean bare) {
    return switch (next()) {
      case '(' ->
          line.startsWith("((", start + 1) ? "an arithmetic expansion" : "a command substitution";
      case '[' -> "an arithmetic expansion ($[)";
      case '{' -> "a parameter expansion other than ${NAME}";
      case '\'' -> bare ? "ANSI-C quoting ($'; use '…')" : "a \"$\" (use '…')";
      case '"' -> bare ? "a translated text ($\"; use \"…\")" : "a \"$\" (use '…')";
      default -> "a special parameter or a bare \"$\" (use '…')";
    };
  }

  private void outside(String construct, int place) {
    outside(construct + " at character " + (line.codePointCount(0, place) + 1));
  }

  private void outside(String whole) {
    if (fault == null) {
      fault = whole;
    }
  }

  /** Names the character at this place of the text. */
  static String shown(String text, int place) {
    return "U+%04X at character %d"
        .formatted(text.codePointAt(place), text.codePointCount(0, place) + 1);
  }

  private void skip(String characters) {
    while (at < line.length() && characters.indexOf(line.charAt(at)) >= 0) {
      at++;
    }
  }

  /** The character after this one; U+0000 at the end, which no line holds. */
  private char next() {
    return at + 1 < line.length() ? line.charAt(at + 1) : 0;
  }

  private boolean isSeparator(int place) {
    return "\n;|&".indexOf(line.charAt(place)) >= 0;
  }

  private boolean isRedirection(int place) {
    return line.charAt(place) == '<' || line.charAt(place) == '>';
  }

  /** Whether a blank, a separator or the end of the line stands here. */
  private boolean endsAt(int place) {
    return place >= line.length()
        || line.charAt(place) == ' '
        || line.charAt(place) == '\t'
        || isSeparator(place);
  }

  private boolean endsWord(int place) {
    return endsAt(place) || isRedirection(place);
  }
}
