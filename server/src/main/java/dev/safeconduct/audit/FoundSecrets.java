package dev.safeconduct.audit;

import dev.safeconduct.audit.SecretFinder.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The secrets of one record, to be removed wherever they appear in it. */
final class FoundSecrets {
  /** Shorter secrets are replaced in their own place only. */
  private static final int SHORTEST = 4;

  /** Shorter secrets, and numbers, are replaced only as whole words. */
  private static final int DISTINCT = 6;

  /** The least length of a cut secret's beginning that is replaced. */
  private static final int CUT = 4;

  private static final int MOST = 500;
  private static final int RANDOM = 8;

  /** How many characters are compared for one record; further texts are replaced as a whole. */
  private static final long MOST_COMPARED = 50_000_000;

  private final Redaction redaction;
  private Set<String> secrets = Set.of();
  private long compared;

  FoundSecrets(Redaction redaction) {
    this.redaction = redaction;
  }

  boolean isEmpty() {
    return secrets.isEmpty();
  }

  /** Adds the secrets of a text whose name says that it is one. */
  void addNamed(String text) {
    addParts(text);
    addAll(text, new SecretFinder().find(text));
  }

  void addAll(String text, List<Span> spans) {
    for (Span span : spans) {
      addParts(text.substring(span.start(), span.end()));
    }
  }

  /** Adds the secret, and those of its parts that look random, as in {@code session=VALUE}. */
  private void addParts(String text) {
    add(text);
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || " \t\n;,=&:@%\\/\"'".indexOf(text.charAt(i)) >= 0) {
        if (i - start >= RANDOM && SecretFinder.isRandom(text.substring(start, i), RANDOM)) {
          add(text.substring(start, i));
        }
        start = i + 1;
      }
    }
  }

  private void add(String value) {
    String secret = value.strip().toLowerCase(Locale.ROOT);
    if (secret.length() < (isNumber(secret) ? SHORTEST - 1 : SHORTEST)
        || SecretTable.COMMON_VALUES.contains(secret)
        || secrets.size() >= MOST) {
      return;
    }
    secrets = secrets.isEmpty() ? new LinkedHashSet<>() : secrets;
    secrets.add(secret);
    // As messages show it: in one line, or without the shell's escapes.
    variant(secret, secret.replaceAll("\\p{Cntrl}", " "));
    variant(secret, secret.replace("\\", ""));
    if (secret.chars().allMatch(c -> (c >= '0' && c <= '9') || c == ' ' || c == '-')) {
      variant(secret, secret.replaceAll("[ -]", ""));
    }
  }

  private void variant(String secret, String other) {
    if (!other.equals(secret) && other.length() >= DISTINCT) {
      secrets.add(other);
    }
  }

  /** Returns the text with its own secrets and those of the record replaced. */
  String remove(String text, List<Span> own) {
    if (secrets.isEmpty() && own.isEmpty()) {
      return text;
    }
    compared += (long) text.length() * secrets.size();
    if (compared > MOST_COMPARED) {
      return redaction.mark(text);
    }
    var spans = new ArrayList<>(own);
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.length() == text.length()) {
      secrets.forEach(secret -> addPlaces(lower, secret, spans));
    }
    return spans.isEmpty() ? text : replaced(text, spans);
  }

  private static void addPlaces(String text, String secret, List<Span> spans) {
    int first = text.indexOf(secret);
    boolean distinct = first >= 0 && secret.length() >= DISTINCT && !isNumber(secret);
    for (int at = first; at >= 0; at = text.indexOf(secret, at + 1)) {
      int end = at + secret.length();
      if (distinct || isWord(text, at, end)) {
        spans.add(new Span(at, end));
      }
    }
    for (int cut = text.indexOf('…'); cut >= 0; cut = text.indexOf('…', cut + 1)) {
      for (int length = Math.min(secret.length() - 1, cut); length >= CUT; length--) {
        if (text.startsWith(secret.substring(0, length), cut - length)) {
          spans.add(new Span(cut - length, cut));
          break;
        }
      }
    }
  }

  private static boolean isNumber(String text) {
    return text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static boolean isWord(String text, int start, int end) {
    return (start == 0 || !Character.isLetterOrDigit(text.charAt(start - 1)))
        && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)));
  }

  private String replaced(String text, List<Span> spans) {
    spans.sort(Comparator.comparingInt(Span::start));
    var result = new StringBuilder(text.length() + 100);
    int end = 0;
    int start = -1;
    int until = -1;
    for (Span span : spans) {
      if (start >= 0 && span.start() < until) {
        until = Math.max(until, span.end());
        continue;
      }
      end = mark(text, start, until, end, result);
      start = span.start();
      until = span.end();
    }
    end = mark(text, start, until, end, result);
    return result.append(text, end, text.length()).toString();
  }

  private int mark(String text, int start, int until, int end, StringBuilder result) {
    if (start < 0) {
      return end;
    }
    result.append(text, end, start).append(redaction.mark(text.substring(start, until)));
    return until;
  }
}
