package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.TextSearch;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The methods of strings; all arguments are strings, without coercion. */
final class TextMethods {
  /** The operation of a method on the receiver and its one argument. */
  private interface Body {
    JsonValue of(Run run, String text, String argument) throws EvaluationFault;
  }

  /** The operation of a method on the receiver alone. */
  private interface Change {
    String of(String text);
  }

  private TextMethods() {}

  static Code startsWith(Code target, Code prefix, int column) {
    return method(
        "startsWith", target, prefix, column, (_, s, x) -> JsonBoolean.of(s.startsWith(x)));
  }

  static Code endsWith(Code target, Code suffix, int column) {
    return method("endsWith", target, suffix, column, (_, s, x) -> JsonBoolean.of(s.endsWith(x)));
  }

  static Code split(Code target, Code separator, int column) {
    return method("split", target, separator, column, (run, s, x) -> split(run, s, x, column));
  }

  static Code toLowerCase(Code target, int column) {
    return change("toLowerCase", target, column, text -> text.toLowerCase(Locale.ROOT));
  }

  static Code toUpperCase(Code target, int column) {
    return change("toUpperCase", target, column, text -> text.toUpperCase(Locale.ROOT));
  }

  static Code trim(Code target, int column) {
    return change("trim", target, column, TextMethods::trim);
  }

  /** The substring half of {@code includes}. */
  static boolean contains(Run run, String text, @Nullable JsonValue part, int column)
      throws EvaluationFault {
    String wanted = Semantics.text(part, "the argument of includes on a string", column);
    run.reads(text.length(), column);
    return TextSearch.indexOf(text, wanted, 0) >= 0;
  }

  /** Replaces the first occurrence; neither text is a pattern. */
  static Code replace(Code target, Code old, Code fresh, int column) {
    return run -> {
      run.step(column);
      String text = Semantics.text(target.run(run), "the receiver of replace", column);
      String from = Semantics.text(old.run(run), "the first argument of replace", column);
      String to = Semantics.text(fresh.run(run), "the second argument of replace", column);
      run.reads(text.length(), column);
      int index = TextSearch.indexOf(text, from, 0);
      if (index < 0) {
        return new JsonString(text);
      }
      run.makes((long) text.length() + to.length(), column);
      return new JsonString(text.substring(0, index) + to + text.substring(index + from.length()));
    };
  }

  /**
   * Splits as ECMAScript does: empty parts stay, an empty separator yields the UTF-16 units. It may
   * not cut a surrogate pair, so that no value of the language ever holds half a character.
   */
  private static JsonValue split(Run run, String text, String separator, int column)
      throws EvaluationFault {
    run.makes(text.length(), column);
    var parts = new Elements.Collector();
    if (separator.isEmpty()) {
      run.bounded(text.length(), column);
      for (int i = 0; i < text.length(); i++) {
        if (Character.isSurrogate(text.charAt(i))) {
          throw new EvaluationFault("split('') would cut a character in two", column);
        }
        parts.add(new JsonString(text.substring(i, i + 1)));
      }
    } else {
      int start = 0;
      int end = TextSearch.indexOf(text, separator, 0);
      while (end >= 0) {
        parts.add(new JsonString(text.substring(start, end)));
        run.bounded(parts.size() + 1, column);
        start = end + separator.length();
        end = TextSearch.indexOf(text, separator, start);
      }
      parts.add(new JsonString(text.substring(start)));
    }
    // A part costs far more memory than its characters do.
    run.spend(parts.size() >> 3, column);
    return parts.array();
  }

  private static Code method(String name, Code target, Code argument, int column, Body body) {
    String receiver = "the receiver of " + name;
    String role = "the argument of " + name;
    return run -> {
      run.step(column);
      String text = Semantics.text(target.run(run), receiver, column);
      String given = Semantics.text(argument.run(run), role, column);
      run.reads(given.length(), column);
      return body.of(run, text, given);
    };
  }

  private static Code change(String name, Code target, int column, Change change) {
    String receiver = "the receiver of " + name;
    return run -> {
      run.step(column);
      String text = Semantics.text(target.run(run), receiver, column);
      run.makes(text.length(), column);
      return new JsonString(change.of(text));
    };
  }

  /** White space as ECMAScript trims it: its WhiteSpace and LineTerminator productions. */
  static String trim(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && isSpace(text.charAt(start))) {
      start++;
    }
    while (end > start && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  private static boolean isSpace(char c) {
    return switch (c) {
      case '\t', '\n', '\u000B', '\f', '\r', '\u2028', '\u2029', '\uFEFF' -> true;
      default -> Character.getType(c) == Character.SPACE_SEPARATOR;
    };
  }
}
