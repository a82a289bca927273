package dev.safeconduct.passport.template;

import dev.safeconduct.decision.url.McpServer;
import dev.safeconduct.passport.catalog.Narrows.Entries;
import dev.safeconduct.text.NameGlob;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Decides whether an allow list permits everything that one entry of another list permits, from the
 * entries alone. In doubt it does not: an entry in an unusual spelling covers only itself.
 */
public final class EntryCover {
  private static final Pattern PLAIN_PATH = Pattern.compile("[/A-Za-z0-9_.*?~@+,=: -]+");
  private static final Pattern PLAIN_NAME =
      Pattern.compile("(\\*\\.)?([a-z0-9_-]+\\.)*[a-z][a-z0-9_-]*");
  private static final Pattern SPACES = Pattern.compile("[ \\t]+");

  private EntryCover() {}

  public static boolean covers(Entries kind, List<String> list, String entry) {
    for (String above : list) {
      boolean all = above.equals("*") && kind != Entries.SERVER;
      if (all || above.equals(entry) || covers(kind, above, entry)) {
        return true;
      }
    }
    return false;
  }

  private static boolean covers(Entries kind, String above, String entry) {
    return switch (kind) {
      case EXACT -> false;
      case COMMAND -> command(words(above), words(entry));
      // A star in the entry matches only a star of the glob, which so covers every text of the
      // entry.
      case GLOB -> NameGlob.of(above).matches(entry);
      case PREFIX -> prefix(above, entry);
      case PATH -> path(above, entry);
      case DOMAIN -> domain(lower(above), lower(entry));
      case SERVER -> McpServer.covers(above, entry);
    };
  }

  private static boolean command(String above, String entry) {
    return !above.isEmpty() && (entry.equals(above) || entry.startsWith(above + " "));
  }

  private static String words(String command) {
    return SPACES.matcher(command).replaceAll(" ").strip();
  }

  private static boolean prefix(String above, String entry) {
    int end = above.length();
    while (end > 0 && above.charAt(end - 1) == '*') {
      end--;
    }
    return end > 0 && entry.startsWith(above.substring(0, end));
  }

  /** A directory covers paths that begin with it: as a prefix, or as everything below it. */
  private static boolean path(String above, String entry) {
    if (!isPlainPath(above) || !isPlainPath(entry)) {
      return false;
    }
    String directory = above;
    if (directory.endsWith("/**")) {
      directory = directory.substring(0, directory.length() - 3);
    } else if (directory.endsWith("/*")) {
      directory = directory.substring(0, directory.length() - 2);
    } else if (directory.endsWith("/")) {
      directory = directory.substring(0, directory.length() - 1);
    }
    if (directory.indexOf('*') >= 0 || directory.indexOf('?') >= 0) {
      return false;
    }
    return entry.equals(directory) || entry.startsWith(directory + "/");
  }

  /** Returns whether the path is absolute and already in the form used for comparison. */
  private static boolean isPlainPath(String path) {
    return path.startsWith("/")
        && PLAIN_PATH.matcher(path).matches()
        && path.strip().equals(path)
        && !path.contains("//")
        && !(path + "/").contains("/./")
        && !(path + "/").contains("/../");
  }

  /** A name covers itself and its subdomains; a name with a leading star covers only subdomains. */
  private static boolean domain(String above, String entry) {
    if (!PLAIN_NAME.matcher(above).matches() || !PLAIN_NAME.matcher(entry).matches()) {
      return false;
    }
    String host = above.startsWith("*.") ? above.substring(2) : above;
    return entry.endsWith("." + host) || (entry.equals(host) && !above.startsWith("*."));
  }

  private static String lower(String name) {
    return name.strip().toLowerCase(Locale.ROOT);
  }
}
