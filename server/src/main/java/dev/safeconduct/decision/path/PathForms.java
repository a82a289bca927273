package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;

/**
 * The forms of a path text that an executor may use: as written, and percent-decoded up to three
 * times (validators section 2.1). An allow-list must admit all forms. One matching form is enough
 * for a block-list.
 */
public final class PathForms {
  private static final int MOST_DECODINGS = 3;
  private static final String SCHEME = "file://";

  private PathForms() {}

  /** The distinct forms: NFKC, slashes forward, no leading {@code file://}; not yet normalised. */
  public static List<String> of(String text) {
    if (!PercentText.isEscaped(text)) {
      return List.of(plain(text));
    }
    var forms = new ArrayList<String>(MOST_DECODINGS + 1);
    forms.add(plain(text));
    String latest = text;
    for (int i = 0; i < MOST_DECODINGS && PercentText.isEscaped(latest); i++) {
      latest = PercentText.decode(latest);
      String form = plain(latest);
      if (!forms.contains(form)) {
        forms.add(form);
      }
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
    if (text.indexOf('\0') >= 0) {
      return false;
    }
    if (!PercentText.isEscaped(text)) {
      return true;
    }
    for (String form : of(text)) {
      if (form.indexOf('\0') >= 0) {
        return false;
      }
    }
    return true;
  }

  private static String plain(String text) {
    String form = Folding.nfkc(text).replace('\\', '/');
    return form.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? form.substring(SCHEME.length())
        : form;
  }
}
