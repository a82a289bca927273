package dev.safeconduct.passport;

import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A passport's name for addresses: 1 to 64 lower-case ASCII letters, digits and single hyphens, so
 * that no two slugs look alike by foreign letters.
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

  /** The slug a name suggests; empty when nothing of the name can be written in ASCII. */
  public static Optional<String> of(String name) {
    String letters = MARKS.matcher(Normalizer.normalize(name, Normalizer.Form.NFKD)).replaceAll("");
    String joined = OTHERS.matcher(letters.toLowerCase(Locale.ROOT)).replaceAll("-");
    String slug = trim(joined);
    return slug.isEmpty()
        ? Optional.empty()
        : Optional.of(trim(slug.substring(0, Math.min(slug.length(), MAX_LENGTH))));
  }

  /** The slug without what makes it only look different: {@code 0} for {@code o}, hyphens, … */
  public static String shape(String slug) {
    return slug.replace("-", "")
        .replace('0', 'o')
        .replace('1', 'l')
        .replace('i', 'l')
        .replace('5', 's')
        .replace("rn", "m")
        .replace("vv", "w");
  }

  /** The slug with an ending that makes it another one. */
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
