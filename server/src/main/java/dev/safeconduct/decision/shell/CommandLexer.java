package dev.safeconduct.decision.shell;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Splits one line into segments of words, in one pass (validators section 4.1). */
final class CommandLexer {
  /** The letters after a backslash between {@code $'} and {@code '}, and what they stand for. */
  private static final String ESCAPES = "abeEfnrtv\\'\"?";

  private static final String MEANINGS = "\u0007\b\u001b\u001b\f\n\r\t\u000b\\'\"?";

  /** The separator between two commands. */
  private enum Joint {
    PIPE,
    /** A line end or a bracket: a pipe before or after it still joins. */
    LOOSE,
    BREAK
  }

  private final String line;
  private final List<Segment> segments = new ArrayList<>();
  private List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean inWord;

  /** The ordinary character just read outside quotes; U+0000 after anything else. */
  private char last;

  private int pipeline;
  private boolean piped;
  private boolean broken = true;

  /** For each open bracket whether it opens a substitution. */
  private final BitSet substituting = new BitSet();

  private int open;

  private CommandLexer(String line, int firstPipeline) {
    this.line = line;
    pipeline = firstPipeline - 1;
  }

  static List<Segment> lex(String line) {
    return lex(line, 0);
  }

  /** Numbers the pipelines from this one on. */
  static List<Segment> lex(String line, int firstPipeline) {
    return new CommandLexer(line, firstPipeline).run();
  }

  private List<Segment> run() {
    for (int i = 0; i < line.length(); ) {
      i = read(i);
    }
    endSegment();
    return segments;
  }

  /** Reads the token at this index and returns the index of the next token. */
  private int read(int i) {
    char c = line.charAt(i);
    switch (c) {
      case '\\' -> {
        return escape(i);
      }
      case '\'' -> {
        return singleQuotes(i + 1);
      }
      case '"' -> {
        return doubleQuotes(i + 1);
      }
      case ' ', '\t' -> endWord();
      case '\n', '\r' -> separate(Joint.LOOSE);
      case ';' -> separate(Joint.BREAK);
      case '`' -> separate(Joint.BREAK);
      case '(' -> openBracket();
      case ')' -> closeBracket();
      case '$' -> {
        return dollar(i);
      }
      case '|' -> {
        if (last == '>') {
          ordinary('|');
          return i + 1;
        }
        boolean or = follows(i, '|');
        separate(or ? Joint.BREAK : Joint.PIPE);
        return or || follows(i, '&') ? i + 2 : i + 1;
      }
      case '&' -> {
        return ampersand(i);
      }
      case '<', '>' -> redirect(c);
      default -> ordinary(c);
    }
    return i + 1;
  }

  private void ordinary(char c) {
    word.append(c);
    inWord = true;
    last = c;
  }

  private int escape(int i) {
    if (follows(i, '\n')) {
      return i + 2;
    }
    boolean atEnd = i + 1 == line.length();
    word.append(atEnd ? '\\' : line.charAt(i + 1));
    inWord = true;
    last = 0;
    return i + 2;
  }

  private int singleQuotes(int start) {
    int end = line.indexOf('\'', start);
    if (end < 0) {
      end = line.length();
    }
    word.append(line, start, end);
    inWord = true;
    last = 0;
    return end + 1;
  }

  private int doubleQuotes(int start) {
    inWord = true;
    last = 0;
    for (int i = start; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        return i + 1;
      }
      if (c == '\\' && i + 1 < line.length() && "\"\\$`".indexOf(line.charAt(i + 1)) >= 0) {
        i++;
      }
      word.append(line.charAt(i));
    }
    return line.length();
  }

  private int dollar(int i) {
    if (follows(i, '\'')) {
      inWord = true;
      last = 0;
      return readAnsiQuoted(line, i + 2, word);
    }
    if (!follows(i, '"')) {
      ordinary('$');
    }
    return i + 1;
  }

  private int ampersand(int i) {
    if (last == '<' || last == '>') {
      ordinary('&');
      return i + 1;
    }
    if (follows(i, '>')) {
      endWord();
      ordinary('&');
      return i + 1;
    }
    separate(Joint.BREAK);
    return follows(i, '&') ? i + 2 : i + 1;
  }

  /** A redirection is a word of its own, with what stands in front of its operator: {@code 2>}. */
  private void redirect(char c) {
    if (last != '<' && last != '>' && last != '&' && !Redirections.mayStart(word.toString())) {
      endWord();
    }
    ordinary(c);
  }

  private void openBracket() {
    boolean substitutes = last == '$' || last == '<' || last == '>';
    substituting.set(open++, substitutes);
    separate(Joint.LOOSE);
  }

  private void closeBracket() {
    boolean substituted = open > 0 && substituting.get(--open);
    separate(substituted ? Joint.BREAK : Joint.LOOSE);
  }

  private boolean follows(int i, char c) {
    return i + 1 < line.length() && line.charAt(i + 1) == c;
  }

  private void endWord() {
    if (inWord) {
      words.add(word.toString());
      word.setLength(0);
      inWord = false;
    }
    last = 0;
  }

  private void separate(Joint joint) {
    endSegment();
    piped |= joint == Joint.PIPE;
    broken |= joint == Joint.BREAK;
  }

  private void endSegment() {
    endWord();
    if (words.isEmpty()) {
      return;
    }
    if (!piped || broken) {
      pipeline++;
    }
    segments.add(Segment.of(words, pipeline));
    words = new ArrayList<>();
    piped = false;
    broken = false;
  }

  /** Adds the quoted text that starts here and returns the index after the closing quote. */
  private static int readAnsiQuoted(String line, int start, StringBuilder text) {
    int i = start;
    while (i < line.length() && line.charAt(i) != '\'') {
      if (line.charAt(i) != '\\' || i + 1 == line.length()) {
        text.append(line.charAt(i++));
        continue;
      }
      int meaning = ESCAPES.indexOf(line.charAt(i + 1));
      if (meaning >= 0) {
        text.append(MEANINGS.charAt(meaning));
        i += 2;
      } else {
        i = readCharacterNumber(line, i, text);
      }
    }
    return i + 1;
  }

  /** Adds the character whose number stands after this backslash; without one, the backslash. */
  private static int readCharacterNumber(String line, int backslash, StringBuilder text) {
    int digits =
        switch (line.charAt(backslash + 1)) {
          case 'x' -> 2;
          case 'u' -> 4;
          case 'U' -> 8;
          default -> 3;
        };
    boolean octal = digits == 3;
    int start = octal ? backslash + 1 : backslash + 2;
    int end = start;
    long number = 0;
    while (end < line.length() && end < start + digits && digit(line.charAt(end), octal) >= 0) {
      number = number * (octal ? 8 : 16) + digit(line.charAt(end), octal);
      end++;
    }
    if (end == start) {
      text.append('\\');
      return backslash + 1;
    }
    int c = (int) Math.min(octal ? number & 0xff : number, Integer.MAX_VALUE);
    if (c > 0 && Character.isValidCodePoint(c) && (c >>> 11) != (Character.MIN_SURROGATE >>> 11)) {
      text.appendCodePoint(c);
    }
    return end;
  }

  private static int digit(char c, boolean octal) {
    return c < 0x80 ? Character.digit(c, octal ? 8 : 16) : -1;
  }
}
