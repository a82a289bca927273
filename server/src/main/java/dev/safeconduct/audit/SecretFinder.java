package dev.safeconduct.audit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds the secrets in a text: by their form, by the name before them, and by the command that
 * takes them. It reads the text a constant number of times, whatever the text. A record's texts are
 * searched by one finder, one after the other.
 */
final class SecretFinder {
  /** Separates the elements of an array that is read as one text. */
  static final char BETWEEN = '\u001f';

  private static final int LONGEST_NAME = 64;
  private static final int FURTHEST_NAME = 16;
  private static final String AROUND_NAMES = " \t\"'\\])" + BETWEEN;
  private static final String PEM = "-----BEGIN";
  private static final Set<String> SCHEMES =
      Set.of("bearer", "basic", "token", "digest", "negotiate", "apikey", "key", "bot");

  /** The characters before or after which a secret may be; most characters are not among them. */
  private static final boolean[] MARKS = new boolean[128];

  private static final boolean[] WORD = new boolean[128];

  static {
    "=:>,- \t\n\r\u001f0123456789".chars().forEach(mark -> MARKS[mark] = true);
    for (char c = 0; c < MARKS.length; c++) {
      WORD[c] = c == '_' || Character.isLetterOrDigit(c);
      MARKS[c] |= SecretTable.forms(c).length > 0;
    }
    MARKS['e'] = true; // of a JSON Web Token
  }

  /** A secret's place in the text. */
  record Span(int start, int end) {}

  private String text = "";
  private boolean formsOnly;
  private List<Span> found = List.of();

  /** Returns the secrets in order; they do not overlap. */
  List<Span> find(String text) {
    return find(text, text.length());
  }

  /**
   * Returns the secrets of a command and its arguments.
   *
   * @param arguments where the arguments begin, each a word, with {@link #BETWEEN} between them
   */
  List<Span> find(String text, int arguments) {
    scan(text, false);
    found = CommandSecrets.find(text, arguments, found);
    return sorted();
  }

  /** Returns only the texts whose form is that of a secret, such as tokens and private keys. */
  List<Span> forms(String text) {
    scan(text, true);
    return sorted();
  }

  private List<Span> sorted() {
    if (found.size() < 2) {
      return found;
    }
    found.sort(Comparator.comparingInt(Span::start).thenComparingInt(Span::end));
    var apart = new ArrayList<Span>(found.size());
    for (Span span : found) {
      if (!apart.isEmpty() && span.start() < apart.getLast().end()) {
        Span before = apart.removeLast();
        apart.add(new Span(before.start(), Math.max(before.end(), span.end())));
      } else {
        apart.add(span);
      }
    }
    return apart;
  }

  private void scan(String text, boolean formsOnly) {
    this.text = text;
    this.formsOnly = formsOnly;
    found = List.of();
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      boolean inWord =
          c >= '0' && c != ':' && c != '=' && c != '>' && i > 0 && isWord(text.charAt(i - 1));
      i = c < MARKS.length && MARKS[c] && !inWord ? Math.max(i + 1, at(i, c)) : i + 1;
    }
  }

  /** Returns where to go on. */
  private int at(int i, char c) {
    if (c == '-') {
      return text.startsWith(PEM, i) ? pem(i) : i;
    }
    if (c >= '0' && c <= '9') {
      return formsOnly ? i : number(i);
    }
    if (c >= 'A') {
      return token(i, c);
    }
    if (formsOnly) {
      return i;
    }
    return switch (c) {
      case ':' -> text.startsWith("//", i + 1) ? userInfo(i + 3) : announced(i, c);
      case '=', '>', ',' -> announced(i, c);
      default -> scheme(i);
    };
  }

  /** Returns the list with one more; the empty one of most texts is never copied. */
  static List<Span> with(List<Span> found, Span span) {
    List<Span> all = found.isEmpty() ? new ArrayList<>(2) : found;
    all.add(span);
    return all;
  }

  private int found(int start, int end) {
    if (end > start) {
      found = with(found, new Span(start, end));
    }
    return end;
  }

  /** A private key; certificates and public keys are no secrets. */
  private int pem(int i) {
    int label = text.indexOf("-----", i + PEM.length());
    String kind = text.substring(i, label < 0 ? Math.min(text.length(), i + 64) : label);
    if (kind.contains("CERTIFICATE") || kind.contains("PUBLIC KEY")) {
      return i;
    }
    int end = label < 0 ? -1 : text.indexOf("-----END", label);
    int close = end < 0 ? -1 : text.indexOf("-----", end + 8);
    return found(i, close < 0 ? text.length() : close + 5);
  }

  private int token(int i, char c) {
    if (c == 'e' && text.startsWith("eyJ", i)) {
      int head = tokenEnd(i, "");
      if (head - i >= 11 && head < text.length() && text.charAt(head) == '.') {
        int end = tokenEnd(head + 1, ".");
        return end - head > 8 ? found(i, end) : i;
      }
    }
    char next = i + 1 < text.length() ? text.charAt(i + 1) : '\0';
    for (SecretTable.TokenForm form : SecretTable.forms(c)) {
      if (form.prefix().charAt(1) == next && text.startsWith(form.prefix(), i)) {
        int from = i + form.prefix().length();
        int end =
            tokenEnd(
                from, form.prefix().endsWith(".") ? "." : form.prefix().endsWith("/") ? "/" : "");
        if (end - from >= form.length()) {
          return found(i, end);
        }
      }
    }
    return i;
  }

  private int tokenEnd(int from, String further) {
    int end = from;
    while (end < text.length()
        && (isWord(text.charAt(end))
            || text.charAt(end) == '-'
            || further.indexOf(text.charAt(end)) >= 0)) {
      end++;
    }
    return end;
  }

  /** A payment card's number or a social security number. */
  private int number(int i) {
    int end = CardNumber.end(text, i);
    return end > i ? found(i, end) : i;
  }

  /** The password of a URL, or a token in its place. */
  private int userInfo(int from) {
    int end = from;
    int at = -1;
    int colon = -1;
    for (; end < text.length() && end - from < 1_024; end++) {
      char c = text.charAt(end);
      if (c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c <= ' ') {
        break;
      }
      if (c == '@') {
        at = end;
      } else if (c == ':' && colon < 0) {
        colon = end;
      }
    }
    if (at < 0) {
      return from;
    }
    boolean pair = colon >= 0 && colon < at;
    int start = pair ? colon + 1 : from;
    String secret = text.substring(start, at);
    return (pair || isRandom(secret, 8)) && !isReference(secret) ? found(start, at) : at;
  }

  /** What follows the word "bearer" or "basic". */
  private int scheme(int i) {
    char last = i == 0 ? ' ' : text.charAt(i - 1);
    boolean bearer = (last == 'r' || last == 'R') && ends(i, "bearer");
    if (!bearer && !((last == 'c' || last == 'C') && ends(i, "basic"))) {
      return i;
    }
    int start = skip(i, " \t\n\r" + BETWEEN);
    int end = valueEnd(start);
    String value = text.substring(start, end);
    boolean secret = bearer ? value.length() >= 4 : value.length() >= 6 && isMixed(value);
    return secret && !isReference(value) ? found(start, end) : i;
  }

  private boolean ends(int end, String word) {
    int start = end - word.length();
    return start >= 0
        && text.regionMatches(true, start, word, 0, word.length())
        && (start == 0 || !Character.isLetterOrDigit(text.charAt(start - 1)));
  }

  /** The value after a name and a separator: {@code name=value}, {@code "name": "value"}. */
  private int announced(int i, char separator) {
    int nameEnd = i;
    while (nameEnd > 0
        && i - nameEnd < FURTHEST_NAME
        && AROUND_NAMES.indexOf(text.charAt(nameEnd - 1)) >= 0) {
      nameEnd--;
    }
    int nameStart = nameEnd;
    while (nameStart > 0
        && nameEnd - nameStart < LONGEST_NAME
        && isName(text.charAt(nameStart - 1))) {
      nameStart--;
    }
    if (nameStart == nameEnd || !isBeside(separator, nameStart, nameEnd, i)) {
      return i;
    }
    SecretWord name = SecretWord.of(text, nameStart, nameEnd);
    if (name.kind() == SecretNames.Kind.NONE) {
      return i;
    }
    int start = i + 1;
    while (start < text.length() && start - i < 4 && ":=>".indexOf(text.charAt(start)) >= 0) {
      start++;
    }
    boolean strict = separator == '=';
    return value(name.text(), name.kind(), strict, nameStart, skip(start, " \t" + BETWEEN));
  }

  /** Whether name and separator belong together: quoted arguments, or an XML element. */
  private boolean isBeside(char separator, int nameStart, int nameEnd, int i) {
    return switch (separator) {
      case ',' -> {
        int next = skip(i + 1, " ");
        yield nameEnd < i
            && nameStart > 1
            && text.charAt(nameStart - 2) == '('
            && next < text.length()
            && isQuote(text.charAt(next));
      }
      case '>' ->
          nameEnd == i
              && nameStart > 0
              && (text.charAt(nameStart - 1) == '<' || text.charAt(nameStart - 1) == ':');
      default -> true;
    };
  }

  private int value(String name, SecretNames.Kind kind, boolean strict, int nameStart, int from) {
    int start = from;
    int slashes = 0;
    while (start < text.length() && text.charAt(start) == '\\') {
      start++;
      slashes++;
    }
    if (start >= text.length()) {
      return start;
    }
    char quote = text.charAt(start);
    int end;
    if (isQuote(quote)) {
      start++;
      end = quoteEnd(start, quote, slashes);
    } else {
      start = from;
      end = unquotedEnd(name, nameStart, start);
    }
    int after = schemeEnd(start, end);
    String value = text.substring(after, end);
    boolean secret =
        kind == SecretNames.Kind.STRONG ? !value.isBlank() : isLikely(name, value, strict);
    if (!secret || (quote != '\'' && isReference(value)) || (isFolder(name) && isPath(value))) {
      return start;
    }
    return found(after, end);
  }

  /** Returns the end of an unquoted value; a header's value goes on to the end of its quotes. */
  private int unquotedEnd(String name, int nameStart, int start) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean header = lower.endsWith("authorization") || lower.endsWith("cookie");
    if (header && nameStart > 0 && isQuote(text.charAt(nameStart - 1))) {
      return quoteEnd(start, text.charAt(nameStart - 1), 0);
    }
    int end = valueEnd(start);
    int after = schemeEnd(start, end);
    if (after == end && after < text.length()) {
      int next = skip(after, " \t" + BETWEEN);
      end = next > after ? valueEnd(next) : end;
    }
    while (header && end < text.length() && ";,".indexOf(text.charAt(end)) >= 0) {
      end = valueEnd(skip(end + 1, " "));
    }
    return end;
  }

  /** Returns where the credential begins, after the name of a scheme. */
  private int schemeEnd(int start, int end) {
    int word = start;
    while (word < end && Character.isLetter(text.charAt(word))) {
      word++;
    }
    if (!SCHEMES.contains(text.substring(start, word).toLowerCase(Locale.ROOT))) {
      return start;
    }
    int next = Math.min(skip(word, " \t\\" + BETWEEN), end);
    return next > word || word == end ? next : start;
  }

  private int quoteEnd(int start, char quote, int slashes) {
    int before = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == quote && before <= slashes) {
        return i - before;
      }
      if (c == BETWEEN) {
        return i;
      }
      before = c == '\\' ? before + 1 : 0;
    }
    return text.length();
  }

  private int valueEnd(int start) {
    int end = start;
    while (end < text.length()) {
      char c = text.charAt(end);
      if (c <= ' ' || "\"'`&;,|<>".indexOf(c) >= 0) {
        break;
      }
      end += c == '\\' && end + 1 < text.length() && text.charAt(end + 1) >= ' ' ? 2 : 1;
    }
    while (end > start && ")}]".indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return end;
  }

  private int skip(int from, String characters) {
    int i = from;
    while (i < text.length() && i - from < 8 && characters.indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    return i;
  }

  /** Whether a value after a common word looks like a secret. */
  private static boolean isLikely(String name, String value, boolean strict) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith("key") || lower.endsWith("keys")) {
      return isRandom(value, 12);
    }
    return value.chars().anyMatch(c -> (c >= '0' && c <= '9') || c == '@')
        || (strict && value.length() >= 6);
  }

  /** {@code PWD} is a folder in a shell's environment. */
  static boolean isFolder(String name) {
    return name.toLowerCase(Locale.ROOT).endsWith("pwd");
  }

  static boolean isPath(String value) {
    return value.startsWith("/") || value.startsWith("~") || value.startsWith(".");
  }

  /** Whether the text has letters and digits as generated passwords have, and is no path. */
  static boolean isRandom(String text, int length) {
    boolean letter = false;
    boolean digit = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      digit |= c >= '0' && c <= '9';
      if ("/\\.:,= \t\n\u001f".indexOf(c) >= 0) {
        return false;
      }
    }
    return letter && digit && text.length() >= length;
  }

  private static boolean isMixed(String text) {
    return text.chars().anyMatch(c -> (c >= '0' && c <= '9') || c == '=')
        || !text.equals(text.toLowerCase(Locale.ROOT));
  }

  /** Whether the text only refers to a value: {@code $NAME}, <code>${NAME}</code>, {@code $(…)}. */
  static boolean isReference(String text) {
    if (text.startsWith("$(") || text.startsWith("${")) {
      return true;
    }
    return text.length() > 1
        && text.charAt(0) == '$'
        && text.substring(1).chars().allMatch(c -> (c >= 'A' && c <= 'Z') || c == '_');
  }

  static boolean isQuote(char c) {
    return c == '"' || c == '\'' || c == '`';
  }

  private static boolean isName(char c) {
    return isWord(c) || c == '-' || c == '.';
  }

  private static boolean isWord(char c) {
    return c < WORD.length && WORD[c];
  }
}
