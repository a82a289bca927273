package dev.safeconduct.passport;

import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A passport's name in URLs: 1 to 64 lower-case ASCII letters, digits and single hyphens. ASCII
 * prevents look-alike slugs with letters of other alphabets.
 */
public final class Slug {
  static final int MAX_LENGTH = 64;

  private static final Pattern FORM = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");
  private static final Pattern OTHERS = Pattern.compile("[^a-z0-9]+");

  private Slug() {}

  public static boolean isValid(String text) {
    return text.length() <= MAX_LENGTH && FORM.matcher(text).matches();
  }

  /** Derives a slug from a name; empty if no part of the name can be written in ASCII. */
  public static Optional<String> of(String name) {
    String letters = MARKS.matcher(Normalizer.normalize(name, Normalizer.Form.NFKD)).replaceAll("");
    String joined = OTHERS.matcher(letters.toLowerCase(Locale.ROOT)).replaceAll("-");
    String slug = trim(joined);
    return slug.isEmpty()
        ? Optional.empty()
        : Optional.of(trim(slug.substring(0, Math.min(slug.length(), MAX_LENGTH))));
  }

  /**
   * Returns the slug reduced for look-alike comparison: {@code 0} becomes {@code o}, hyphens are
   * removed, …
   */
  public static String shape(String slug) {
    return slug.replace("-", "")
        .replace('0', 'o')
        .replace('1', 'l')
        .replace('i', 'l')
        .replace('5', 's')
        .replace("rn", "m")
        .replace("vv", "w");
  }

  /** Returns the slug with a suffix that makes it different. */
  static String with(String slug, String ending) {
    int room = MAX_LENGTH - ending.length() - 1;
    return trim(slug.substring(0, Math.min(slug.length(), room))) + "-" + ending;
  }

  private static String trim(String slug) {
    int start = slug.startsWith("-") ? 1 : 0;
    int end = slug.endsWith("-") ? slug.length() - 1 : slug.length();
    return start >= end ? "" : slug.substring(start, end);
  }
}
