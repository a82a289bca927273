package dev.safeconduct.policy.expression;

import java.util.ArrayList;
import java.util.List;

/** Splits the source of an expression into tokens. */
final class Lexer {
  /** Longest first, so that {@code ===} is not read as {@code ==} and a stray equals sign. */
  private static final List<String> SYMBOLS =
      List.of(
          "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "=>", "<", ">", "!", "+", "-", "*", "/",
          ".", ",", "(", ")", "[", "]");

  private final String source;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Lexer(String source) {
    this.source = source;
  }

  /** Returns the tokens in order; the last one is always {@code END}. */
  static List<Token> tokens(String source) throws ExpressionFault {
    var lexer = new Lexer(source);
    lexer.run();
    return lexer.tokens;
  }

  private void run() throws ExpressionFault {
    while (at < source.length()) {
      char c = source.charAt(at);
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        at++;
      } else if (isNameStart(c)) {
        name();
      } else if (isDigit(c)) {
        number();
      } else if (c == '\'' || c == '"') {
        string(c);
      } else {
        symbol(c);
      }
    }
    add(Token.Kind.END, "", 0, at);
  }

  private void name() {
    int start = at;
    while (at < source.length() && isNamePart(source.charAt(at))) {
      at++;
    }
    add(Token.Kind.NAME, source.substring(start, at), 0, start);
  }

  private void number() throws ExpressionFault {
    int start = at;
    digits();
    if (at - start > 1 && source.charAt(start) == '0') {
      throw fault("a number does not start with 0", start);
    }
    if (peek(0) == '.' && isDigit(peek(1))) {
      at++;
      digits();
    }
    if (peek(0) == 'e' || peek(0) == 'E') {
      int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (isDigit(peek(1 + sign))) {
        at += 1 + sign;
        digits();
      }
    }
    if (isNamePart(peek(0)) || peek(0) == '.') {
      throw fault("this number runs into '" + peek(0) + "'", start);
    }
    String text = source.substring(start, at);
    double value = Double.parseDouble(text);
    if (!Double.isFinite(value)) {
      throw fault("the number is too large", start);
    }
    add(Token.Kind.NUMBER, text, value, start);
  }

  private void digits() {
    while (isDigit(peek(0))) {
      at++;
    }
  }

  private void string(char quote) throws ExpressionFault {
    int start = at++;
    var text = new StringBuilder();
    while (at < source.length() && source.charAt(at) != quote) {
      char c = source.charAt(at++);
      if (c == '\n' || c == '\r') {
        throw fault("the string is not closed", start);
      }
      if (isLoneSurrogate(at - 1)) {
        throw fault("a lone surrogate", at - 1);
      }
      text.append(c == '\\' ? escape() : c);
    }
    if (at == source.length()) {
      throw fault("the string is not closed", start);
    }
    at++;
    add(Token.Kind.STRING, text.toString(), 0, start);
  }

  private char escape() throws ExpressionFault {
    char c = peek(0);
    at++;
    return switch (c) {
      case '\\', '\'', '"' -> c;
      case 'n' -> '\n';
      case 't' -> '\t';
      default -> throw fault("unknown escape; the escapes are \\\\ \\' \\\" \\n and \\t", at - 2);
    };
  }

  private void symbol(char c) throws ExpressionFault {
    if (source.startsWith("//", at) || source.startsWith("/*", at)) {
      throw fault("comments and regular expressions are not part of the language", at);
    }
    for (String symbol : SYMBOLS) {
      if (source.startsWith(symbol, at)) {
        add(Token.Kind.SYMBOL, symbol, 0, at);
        at += symbol.length();
        return;
      }
    }
    throw new ExpressionFault(
        switch (c) {
          case '=' -> "nothing can be assigned";
          case '?' -> "'?' is not part of the language; use && and ||, or get(object, key)";
          case '`' -> "template strings are not part of the language; join with +";
          case '{', '}' -> "objects and blocks are not part of the language";
          case ';' -> "a rule is one expression, without ';'";
          default -> "unexpected character " + shown(c);
        },
        switch (c) {
          case '=' -> "===";
          case '&' -> "&&";
          case '|' -> "||";
          default -> "";
        },
        at + 1);
  }

  private static String shown(char c) {
    return c > ' ' && c < 0x7f ? "'" + c + "'" : "U+%04X".formatted((int) c);
  }

  /** Returns the character at this offset ahead; NUL past the end. */
  private char peek(int ahead) {
    return at + ahead < source.length() ? source.charAt(at + ahead) : '\0';
  }

  private void add(Token.Kind kind, String text, double number, int start) {
    tokens.add(new Token(kind, text, number, start + 1));
  }

  private static ExpressionFault fault(String message, int index) {
    return new ExpressionFault(message, index + 1);
  }

  private boolean isLoneSurrogate(int index) {
    char c = source.charAt(index);
    if (Character.isHighSurrogate(c)) {
      return index + 1 == source.length() || !Character.isLowSurrogate(source.charAt(index + 1));
    }
    return Character.isLowSurrogate(c) && !Character.isHighSurrogate(source.charAt(index - 1));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c);
  }
}
