package dev.safeconduct.decision.path;

import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The other names of the file that a path names, as some platform reads it (validators section
 * 2.5). Block-lists look at all of them; allow-lists look at the forms alone.
 */
public final class PathReadings {
  private static final int MOST_ROUNDS = 8;

  private static final Pattern DEVICE = Pattern.compile("/\\?\\??(?=/|$)");
  private static final Pattern ABSOLUTE_DRIVE =
      Pattern.compile(
          "/[a-z]:(?:/|$)|/(?:(?:mnt|cygdrive)/)?[a-z]/|/(?:UNC/)?[^/]+/[a-z]\\$/",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern SHARED_DRIVE =
      Pattern.compile("/(?:UNC/)?[^/]+/[a-z]\\$(?=/)", Pattern.CASE_INSENSITIVE);
  private static final Pattern RELATIVE_DRIVE = Pattern.compile("[A-Za-z]:");
  private static final String VIEW =
      "/(?:proc/[^/]+/(?:task/[^/]+/)?(?:root|cwd|fd/[^/]+)|dev/fd/[^/]+)(?=/)";

  private static final Pattern PROCESS_VIEW = Pattern.compile(VIEW, Pattern.CASE_INSENSITIVE);

  /** What leads from the root to the root again, or to a drive. */
  private static final Pattern STILL_AT_ROOT =
      Pattern.compile(VIEW + "|/(?:\\.{0,2}|\\?\\??)(?=/)|/(?=[a-z]:/)", Pattern.CASE_INSENSITIVE);

  /** What an absolute path with further readings may begin with, or a part of one character. */
  private static final List<String> STARTS = List.of("/proc/", "/dev/", "/mnt/", "/cygdrive/");

  private static final List<UnaryOperator<String>> STEPS =
      List.of(
          PathReadings::cleanParts,
          path -> below(path, DEVICE),
          PathReadings::onDriveC,
          PathReadings::climbed,
          path -> below(path, PROCESS_VIEW));

  private PathReadings() {}

  /**
   * Returns the readings of one form of a path ({@link PathForms#of}), the first being the form
   * itself. The form need not be normalised; all readings are, and they are distinct.
   */
  public static List<String> of(String form) {
    if (isPlain(form)) {
      return List.of(form);
    }
    var readings = new ArrayList<String>(2);
    addFrom(LexicalPath.normalise(form), readings);
    // Below a drive or a process view, ".." does not lead out of it: /proc/1/root/../etc is /etc.
    String below = LexicalPath.isAbsolute(form) ? onShare(belowAll(form)) : form;
    addFrom(LexicalPath.isAbsolute(below) ? below : onDriveC(below), readings);
    return readings;
  }

  /** Whether the text is certainly its own only form and reading, as nearly all paths are. */
  public static boolean isPlain(String text) {
    if (!LexicalPath.isNormal(text)) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean ends = i + 1 == text.length() || text.charAt(i + 1) == '/';
      if (c >= 0x80 || c == ':' || c == '%' || c == '\\' || (ends && (c == '$' || isDropped(c)))) {
        return false;
      }
    }
    return !LexicalPath.isAbsolute(text) || !startsElsewhere(text);
  }

  /** Whether the absolute path may begin with a drive, a device or the view of a process. */
  private static boolean startsElsewhere(String path) {
    if (path.startsWith("/?") || path.startsWith("/", 2)) {
      return true;
    }
    for (String start : STARTS) {
      if (path.regionMatches(true, 0, start, 0, start.length())) {
        return true;
      }
    }
    return false;
  }

  private static void addFrom(String path, List<String> readings) {
    String latest = LexicalPath.normalise(path);
    addNew(latest, readings);
    for (int round = 0; round < MOST_ROUNDS; round++) {
      String before = latest;
      for (UnaryOperator<String> step : STEPS) {
        latest = step.apply(latest);
        addNew(latest, readings);
      }
      if (latest.equals(before)) {
        return;
      }
    }
  }

  private static void addNew(String reading, List<String> readings) {
    if (!readings.contains(reading)) {
      readings.add(reading);
    }
  }

  /** Returns the path that lies below what the pattern matches, as a path below the root. */
  private static String below(String path, Pattern start) {
    Matcher found = start.matcher(path);
    String rest = found.lookingAt() ? path.substring(found.end()) : path;
    return rest.isEmpty() ? "/" : rest;
  }

  private static String belowAll(String path) {
    Matcher found = STILL_AT_ROOT.matcher(path);
    int at = 0;
    while (found.region(at, path.length()).lookingAt()) {
      at = found.end();
    }
    return path.substring(at);
  }

  private static String onShare(String path) {
    Matcher share = SHARED_DRIVE.matcher(path);
    return share.lookingAt() ? "C:" + path.substring(share.end()) : path;
  }

  private static String climbed(String path) {
    int at = 0;
    while (at < path.length() && LexicalPath.startsWithUp(path, at)) {
      at = Math.min(at + 3, path.length());
    }
    return at == 0 ? path : "/" + path.substring(at);
  }

  private static String onDriveC(String path) {
    Matcher drive = (LexicalPath.isAbsolute(path) ? ABSOLUTE_DRIVE : RELATIVE_DRIVE).matcher(path);
    if (!drive.lookingAt()) {
      return path;
    }
    String below = LexicalPath.normalise("/" + path.substring(drive.end()));
    return below.equals("/") ? "C:" : "C:" + below;
  }

  private static String cleanParts(String path) {
    if (Folding.isAscii(path) && path.indexOf(':') < 0 && !endsAPart(path)) {
      return path;
    }
    String visible = Folding.withoutIgnorable(path);
    var clean = new StringBuilder(visible.length());
    for (String part : visible.split("/", -1)) {
      clean.append(cleanPart(part)).append('/');
    }
    clean.setLength(clean.length() - 1);
    return LexicalPath.normalise(clean.toString());
  }

  /** Whether some part has a dot or white space at its end. */
  private static boolean endsAPart(String path) {
    for (int end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
      if (isDropped(path.charAt(end - 1))) {
        return true;
      }
    }
    return !path.isEmpty() && isDropped(path.charAt(path.length() - 1));
  }

  private static String cleanPart(String part) {
    if (part.equals(".") || part.equals("..") || RELATIVE_DRIVE.matcher(part).lookingAt()) {
      return part;
    }
    int colon = part.indexOf(':');
    int stream = colon > 0 ? colon : part.length();
    int end = stream;
    boolean dotsOnly = true;
    for (int i = 0; i < stream && dotsOnly; i++) {
      dotsOnly = part.charAt(i) == '.';
    }
    while (!dotsOnly && end > 0 && isDropped(part.charAt(end - 1))) {
      end--;
    }
    return part.substring(0, end);
  }

  private static boolean isDropped(char c) {
    return c == '.' || Folding.isWhiteSpace(c);
  }
}
