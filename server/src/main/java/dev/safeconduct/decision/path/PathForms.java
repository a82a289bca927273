package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The forms of a path text that an executor may use: as written, percent-decoded up to three times,
 * and with the authority of a {@code file:} URL as its first part (validators section 2.1). An
 * allow-list must admit all forms. One matching form is enough for a block-list.
 */
public final class PathForms {
  private static final String SCHEME = "file:";

  private PathForms() {}

  /** The distinct forms: NFKC, slashes forward, no leading {@code file:}; not yet normalised. */
  public static List<String> of(String text) {
    List<String> spellings = PercentText.spellings(text);
    if (spellings.size() == 1) {
      String form = plain(text);
      if (!hasScheme(form)) {
        return List.of(form); // as nearly always
      }
    }
    var forms = new LinkedHashSet<String>(4);
    for (String spelling : spellings) {
      addForms(spelling, forms);
    }
    return List.copyOf(forms);
  }

  /** The forms of the text, each normalised; see {@link LexicalPath#normalise}. */
  public static List<String> normalised(String text) {
    List<String> forms = of(text);
    if (forms.size() == 1) {
      return List.of(LexicalPath.normalise(forms.getFirst()));
    }
    return forms.stream().map(LexicalPath::normalise).distinct().toList();
  }

  /** Whether no form of the text holds U+0000. */
  public static boolean isClean(String text) {
    for (String spelling : PercentText.spellings(text)) {
      if (spelling.indexOf('\0') >= 0) {
        return false;
      }
    }
    return true;
  }

  private static String plain(String text) {
    return Folding.nfkc(text).replace('\\', '/');
  }

  private static boolean hasScheme(String form) {
    return form.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
  }

  private static void addForms(String text, Set<String> forms) {
    String form = plain(text);
    if (!hasScheme(form)) {
      forms.add(form);
      return;
    }
    String path = form.substring(SCHEME.length());
    if (!path.startsWith("//")) {
      forms.add(path);
      return;
    }
    int slash = path.indexOf('/', 2);
    int end = slash < 0 ? path.length() : slash;
    String authority = path.substring(2, end);
    forms.add(path.substring(end));
    if (!authority.isEmpty() && !Folding.asciiLower(authority).equals("localhost")) {
      forms.add("/" + path.substring(2));
    }
  }
}
