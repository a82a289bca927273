package dev.safeconduct.decision.shell;

import java.util.List;

/** The CORE patterns on the folded text of the whole command (K5, K6, K8). */
final class CoreTexts {
  private static final String DEVICES = "/dev/";
  private static final List<String> DEVICE_NAMES =
      List.of(
          "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "dm-", "mapper/", "mem", "kmem",
          "port");
  private static final String DEFINITION = "(){";

  private CoreTexts() {}

  /** K5: a redirection into a disk, memory or port. */
  static boolean writesDevice(String text) {
    for (int at = text.indexOf('>'); at >= 0; at = text.indexOf('>', at + 1)) {
      int path = text.startsWith(" ", at + 1) ? at + 2 : at + 1;
      if (text.startsWith(DEVICES, path)) {
        for (String device : DEVICE_NAMES) {
          if (text.startsWith(device, path + DEVICES.length())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** K6: a function of any name that calls itself twice in the background. */
  static boolean forksForever(String text) {
    if (text.indexOf('(') < 0) {
      return false;
    }
    String dense = text.replace(" ", "");
    if (dense.contains("fork()")) {
      return true;
    }
    for (int at = dense.indexOf(DEFINITION); at >= 0; at = dense.indexOf(DEFINITION, at + 1)) {
      int start = at + DEFINITION.length();
      int end = start;
      while (end < dense.length() && isNameCharacter(dense.codePointAt(end))) {
        end += Character.charCount(dense.codePointAt(end));
      }
      int length = end - start;
      if (length > 0
          && dense.startsWith("|", end)
          && at >= length
          && dense.regionMatches(at - length, dense, start, length)
          && dense.regionMatches(end + 1, dense, start, length)
          && dense.startsWith("&}", end + 1 + length)) {
        return true;
      }
    }
    return false;
  }

  /** K8, the part without a program: the shell's own sockets. */
  static boolean opensSocket(String text) {
    return text.contains("/dev/tcp/") || text.contains("/dev/udp/");
  }

  /** Whether the text occurs as a whole word. */
  static boolean hasWord(String text, String sought) {
    for (int at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
      if (at == 0 || !isWordCharacter(text.charAt(at - 1))) {
        return true;
      }
    }
    return false;
  }

  /** What a regular expression's {@code \w} matches. */
  static boolean isWordCharacter(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  private static boolean isNameCharacter(int c) {
    return c == '_' || c == ':' || c == '.' || Character.isLetterOrDigit(c);
  }
}
