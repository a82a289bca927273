package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** File name extensions (validators section 2.6). */
public final class FileExtension {
  private FileExtension() {}

  /**
   * The text from the last dot of the last part on, in lower case; empty without a dot. {@code
   * .env} is its own extension, and a name that ends in a dot has the extension {@code "."}.
   */
  public static String of(String path) {
    int dot = path.lastIndexOf('.');
    return dot <= path.lastIndexOf('/') ? "" : path.substring(dot).toLowerCase(Locale.ROOT);
  }

  /** Returns the entries of a list of extensions. */
  public static Set<String> entries(List<String> allowed) {
    return allowed.stream().map(FileExtension::entry).collect(Collectors.toUnmodifiableSet());
  }

  /** Whether the entries admit the extension of every form of the path. */
  public static boolean admits(Set<String> extensions, String path) {
    if (extensions.contains("*")) {
      return true;
    }
    for (String form : PathForms.normalised(path)) {
      if (!extensions.contains(of(form))) {
        return false;
      }
    }
    return true;
  }

  /** An entry with its leading dot; {@code ""} (no extension) and {@code *} stay as they are. */
  private static String entry(String entry) {
    String text = Folding.trim(entry).toLowerCase(Locale.ROOT);
    return text.isEmpty() || text.equals("*") || text.startsWith(".") ? text : "." + text;
  }
}
