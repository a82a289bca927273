package dev.safeconduct.audit;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Replaces secrets in recorded data with an HMAC of the original. Callers who have the original can
 * prove its presence; the HMAC does not reveal it.
 */
public final class Redaction {
  /** File contents and outputs longer than this many characters are stored as HMAC and length. */
  private static final int LONG_CONTENT = 1024;

  /** No text of any name is stored in full above this many characters. */
  private static final int LONG_TEXT = 16 * 1024;

  /** No object is stored in full above this many bytes. */
  public static final int LONG_OBJECT = 64 * 1024;

  /** Words in names of secrets, by their first character. */
  private static final String[][] SECRET_NAMES =
      byLetter(
          List.of(
              "password",
              "passwd",
              "pwd",
              "secret",
              "token",
              "key",
              "api",
              "authorization",
              "credential",
              "cookie"),
          name -> name.charAt(0));

  private static final Set<String> CONTENT_NAMES =
      Set.of("content", "output_content", "output", "body", "stdout", "stderr", "data", "value");

  /** Suffixes of names that precede a secret inside a text, by their last character. */
  private static final String[][] ANNOUNCING =
      byLetter(
          List.of("password", "passwd", "pwd", "secret", "token", "key", "authorization", "cookie"),
          name -> name.charAt(name.length() - 1));

  private static final String[] NO_NAMES = {};

  private static final String AROUND_NAMES = " \t\n\f\r\"'\\";

  private static final Pattern SECRET_TEXT =
      Pattern.compile(
          "(?i:bearer|basic)\\s+[^\\s'\"]{4,}"
              + "|-----BEGIN[^-]{0,64}-----[^-]*(-----END[^-]{0,64}-----)?"
              + "|\\b(aprt_|apk_|sck_|sca_|scr_|whsec_|sk_|pk_|sk-)[A-Za-z0-9_-]{8,}"
              + "|(?i:(password|passwd|pwd|secret|token|api-?key|[a-z0-9]+[_-]key|authorization|cookie)"
              + "[\"'\\\\]{0,4}\\s{0,8}[=:]\\s{0,8}"
              + "(\\\\{0,4}\"[^\"]*\"?|\\\\{0,4}'[^']*'?|((bearer|basic|token)\\s+)?[^\\s\"'&;,}]+))"
              + "|(?i:--(password|passwd|token|secret|api-?key)\\s+[^\\s]+)"
              + "|://[^\\s/@:]{1,256}:[^\\s/@]{1,256}@"
              + "|\\b(AKIA|ASIA)[0-9A-Z]{16}"
              + "|\\bgh[pousr]_[A-Za-z0-9]{20,}"
              + "|\\bxox[abprs]-[A-Za-z0-9-]{10,}"
              + "|\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*");

  /** The characters that {@link #mayHoldSecret} checks; most characters are not among them. */
  private static final boolean[] MARKS = new boolean[128];

  static {
    "_-=:AJ \t\n\f\r".chars().forEach(mark -> MARKS[mark] = true);
  }

  private final SecretKeySpec key;

  /** {@code key}: 32 bytes, the same on every node. */
  public Redaction(byte[] key) {
    this.key = new SecretKeySpec(key, "HmacSHA256");
  }

  /** Returns the object with every secret replaced; the same object when there is no secret. */
  public JsonObject of(JsonObject object) {
    return members(object, false);
  }

  /** Returns the member's value as {@link #of} redacts it; the same value when it has no secret. */
  public JsonValue member(String name, JsonValue value) {
    return member(name, value, secretName(name));
  }

  /**
   * Returns a redacted object that is too long to be stored in full, without its long members. If
   * it has too many members, the first are stored and one mark named {@code "…"} replaces the
   * others.
   */
  public JsonObject shortened(JsonObject redacted) {
    JsonObject.Builder kept = JsonObject.builder();
    JsonObject.Builder rest = JsonObject.builder();
    int size = 0;
    for (String name : redacted.names()) {
      JsonValue value = redacted.get(name);
      if (value == null) {
        continue;
      }
      String text = Json.text(value);
      JsonValue shown = text.length() > LONG_CONTENT ? new JsonString(mark(text)) : value;
      size += name.length() + Math.min(text.length(), LONG_CONTENT);
      (size <= LONG_OBJECT / 2 ? kept : rest).put(name, shown);
    }
    JsonObject left = rest.build();
    return left.isEmpty() ? kept.build() : kept.put("…", mark(Json.text(left))).build();
  }

  /** {@code secret}: whether the object has a secret-looking name, so that all of it is secret. */
  @SuppressWarnings("ReferenceEquality") // identity means that nothing was replaced
  private JsonObject members(JsonObject object, boolean secret) {
    JsonObject.@Nullable Builder result = null;
    for (String name : object.names()) {
      JsonValue value = object.get(name);
      if (value != null) {
        JsonValue redacted = member(name, value, secret || secretName(name));
        if (redacted != value) {
          result = (result == null ? object.toBuilder() : result).put(name, redacted);
        }
      }
    }
    return result == null ? object : result.build();
  }

  /** Returns the text with every secret-looking part replaced. */
  public String text(String text) {
    if (!mayHoldSecret(text)) {
      return text;
    }
    Matcher matcher = SECRET_TEXT.matcher(text);
    StringBuilder result = new StringBuilder();
    int end = 0;
    while (matcher.find()) {
      result.append(text, end, matcher.start()).append(mark(matcher.group()));
      end = matcher.end();
    }
    return end == 0 ? text : result.append(text, end, text.length()).toString();
  }

  private JsonValue member(String name, JsonValue value, boolean secret) {
    return value instanceof JsonString text
            && text.value().length() > LONG_CONTENT
            && CONTENT_NAMES.contains(name)
        ? new JsonString(mark(text.value()))
        : value(value, secret);
  }

  @SuppressWarnings("ReferenceEquality") // identity means that nothing was replaced
  private JsonValue value(JsonValue value, boolean secret) {
    return switch (value) {
      case JsonObject object -> members(object, secret);
      case JsonArray array -> {
        var elements = new ArrayList<JsonValue>(array.size());
        boolean changed = false;
        for (JsonValue element : array) {
          JsonValue redacted = value(element, secret);
          changed |= redacted != element;
          elements.add(redacted);
        }
        yield changed ? new JsonArray(elements) : array;
      }
      case JsonString text when secret -> new JsonString(mark(text.value()));
      case JsonNumber number when secret -> new JsonString(mark(Double.toString(number.value())));
      case JsonOverflow number when secret -> new JsonString(mark(number.text()));
      case JsonString text -> {
        String redacted =
            text.value().length() > LONG_TEXT ? mark(text.value()) : text(text.value());
        yield redacted.equals(text.value()) ? text : new JsonString(redacted);
      }
      default -> value;
    };
  }

  private static boolean secretName(String name) {
    for (int i = 0; i < name.length(); i++) {
      for (String part : of(SECRET_NAMES, name.charAt(i))) {
        if (at(name, i, part)) {
          return true;
        }
      }
    }
    return false;
  }

  private static String[][] byLetter(List<String> names, Function<String, Character> letter) {
    return IntStream.rangeClosed('a', 'z')
        .mapToObj(
            c -> names.stream().filter(name -> letter.apply(name) == c).toArray(String[]::new))
        .toArray(String[][]::new);
  }

  private static String[] of(String[][] byLetter, char c) {
    int letter = Character.toLowerCase(c) - 'a';
    return letter >= 0 && letter < byLetter.length ? byLetter[letter] : NO_NAMES;
  }

  private static boolean at(String text, int start, String part) {
    return text.regionMatches(true, start, part, 0, part.length());
  }

  private static boolean before(String text, int end, String part) {
    return at(text, end - part.length(), part);
  }

  /**
   * Returns whether the text may contain a secret. Each form of secret has one characteristic
   * character with certain letters next to it. Only then the regular expression runs; most texts
   * skip it.
   */
  private static boolean mayHoldSecret(String text) {
    int lastAt = text.lastIndexOf('@');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= MARKS.length || !MARKS[c]) {
        continue;
      }
      boolean hit =
          switch (c) {
            case '_' ->
                before(text, i, "aprt")
                    || before(text, i, "pk") // and apk
                    || before(text, i, "sk")
                    || at(text, i - 3, "sc") // sck, sca, scr
                    || before(text, i, "whsec")
                    || at(text, i - 3, "gh");
            case '-' ->
                before(text, i, "sk") || at(text, i - 4, "xox") || at(text, i, "-----BEGIN");
            case '=' -> named(text, i);
            case ':' -> named(text, i) || (lastAt > i && at(text, i, "://"));
            case 'A' -> at(text, i, "AKIA") || at(text, i, "ASIA");
            case 'J' -> before(text, i, "ey");
            case ' ', '\t', '\n', '\f', '\r' -> schemeEnds(text, i) || named(text, i);
            default -> false;
          };
      if (hit) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the text before this position, without quotes and white space, ends in a word
   * that introduces a secret.
   */
  private static boolean named(String text, int i) {
    int end = i;
    while (end > 0 && i - end < 16 && AROUND_NAMES.indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    if (end > 0) {
      for (String name : of(ANNOUNCING, text.charAt(end - 1))) {
        if (before(text, end, name)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns whether "bearer" or "basic" precedes the position. */
  private static boolean schemeEnds(String text, int end) {
    return switch (end == 0 ? ' ' : text.charAt(end - 1)) {
      case 'r', 'R' -> before(text, end, "bearer");
      case 'c', 'C' -> before(text, end, "basic");
      default -> false;
    };
  }

  private String mark(String original) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      byte[] hash = mac.doFinal(original.getBytes(StandardCharsets.UTF_8));
      return "[redacted hmac-sha256:"
          + HexFormat.of().formatHex(hash)
          + " length:"
          + original.length()
          + "]";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }
}
