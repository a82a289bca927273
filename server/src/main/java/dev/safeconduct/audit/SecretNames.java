package dev.safeconduct.audit;

import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Tells by a name whether its value is a secret. Names are read as words: {@code dbPass}. */
final class SecretNames {
  private static final JsonObject TABLE = SecretTable.names();
  private static final List<String> ANYWHERE = SecretTable.list(TABLE, "anywhere");
  private static final List<String> ENDINGS = SecretTable.list(TABLE, "endings");
  private static final List<String> PHRASES =
      SecretTable.list(TABLE, "phrases").stream().map(phrase -> " " + phrase + " ").toList();
  private static final Set<String> LAST = SecretTable.set(TABLE, "last");
  private static final Set<String> FILLER = SecretTable.set(TABLE, "filler");
  private static final Set<String> WEAK = SecretTable.set(TABLE, "weak");
  private static final Set<String> HARMLESS_FIRST = SecretTable.set(TABLE, "harmless_first");
  private static final Set<String> HARMLESS_LAST = SecretTable.set(TABLE, "harmless_last");
  private static final Set<String> WHOLE_WORDS = SecretTable.set(TABLE, "whole_words");
  private static final Map<String, Set<String>> HARMLESS_BEFORE = harmlessBefore();

  /** Longer names are cut to this length before they are read. */
  private static final int LONG = 80;

  private SecretNames() {}

  /** How certain a name makes it that its value is a secret. */
  enum Kind {
    NONE,
    /** A common word, which in running text needs a value that looks like a secret. */
    WEAK,
    STRONG
  }

  static boolean isSecret(String name) {
    return kind(name) != Kind.NONE;
  }

  static Kind kind(String name) {
    return SecretWord.of(name, 0, name.length()).kind();
  }

  /** Reads the name; {@link #kind} remembers what was read. */
  static Kind read(String name) {
    return classify(name.length() > LONG ? name.substring(name.length() - LONG) : name);
  }

  private static Kind classify(String name) {
    List<String> words = words(name);
    int last = words.size() - 1;
    while (last > 0 && FILLER.contains(words.get(last))) {
      last--;
    }
    if (last < 0) {
      return Kind.NONE;
    }
    String spaced = " " + String.join(" ", words.subList(0, last + 1)) + " ";
    String all = " " + String.join(" ", words) + " ";
    if (PHRASES.stream().anyMatch(phrase -> spaced.endsWith(phrase) || all.endsWith(phrase))) {
      return Kind.STRONG;
    }
    if (words.size() > 1
        && (HARMLESS_LAST.contains(words.getLast()) || HARMLESS_FIRST.contains(words.getFirst()))) {
      return Kind.NONE;
    }
    String word = words.get(last);
    if (words.size() == 1 && WEAK.contains(word)) {
      return Kind.WEAK;
    }
    String joined = String.join("", words);
    if (ANYWHERE.stream().anyMatch(joined::contains) && !joined.contains("secretar")) {
      return Kind.STRONG;
    }
    if (LAST.contains(word)) {
      boolean harmless =
          last > 0 && HARMLESS_BEFORE.getOrDefault(word, Set.of()).contains(words.get(last - 1));
      return harmless ? Kind.NONE : Kind.STRONG;
    }
    return ENDINGS.stream().anyMatch(word::endsWith) && !WHOLE_WORDS.contains(word)
        ? Kind.STRONG
        : Kind.NONE;
  }

  /** Returns the name's words in lower case, without digits at their ends. */
  private static List<String> words(String name) {
    var words = new ArrayList<String>();
    int start = -1;
    for (int i = 0; i <= name.length(); i++) {
      char c = i < name.length() ? name.charAt(i) : ' ';
      boolean part = Character.isLetterOrDigit(c);
      if (start >= 0 && (!part || isHump(name, i))) {
        add(words, name.substring(start, i));
        start = -1;
      }
      if (part && start < 0) {
        start = i;
      }
    }
    return words;
  }

  private static boolean isHump(String name, int i) {
    if (!Character.isUpperCase(name.charAt(i))) {
      return false;
    }
    return !Character.isUpperCase(name.charAt(i - 1))
        || (i + 1 < name.length() && Character.isLowerCase(name.charAt(i + 1)));
  }

  private static void add(List<String> words, String word) {
    int end = word.length();
    while (end > 0 && Character.isDigit(word.charAt(end - 1))) {
      end--;
    }
    if (end > 0) {
      words.add(word.equals("oauth2") ? word : word.substring(0, end).toLowerCase(Locale.ROOT));
    }
  }

  private static Map<String, Set<String>> harmlessBefore() {
    JsonObject table = TABLE.object("harmless_before").orElseThrow();
    var before = new HashMap<String, Set<String>>();
    table.names().forEach(word -> before.put(word, SecretTable.set(table, word)));
    return before;
  }
}
