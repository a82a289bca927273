package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.LexicalPath;
import java.util.ArrayList;
import java.util.List;

/** Redirections among the words of the tolerant reading (validators sections 4.2 and 4.4). */
final class Redirections {
  private static final List<String> OPERATORS =
      List.of("<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">", "&>>", "&>");
  private static final String DEVICES = "/dev/";
  private static final List<String> DEVICE_NAMES =
      List.of(
          "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "dm-", "mapper/", "mem", "kmem",
          "port");

  private Redirections() {}

  /** How many words the redirection at this index takes; 0 when there is none. */
  static int length(List<String> words, int at) {
    String word = words.get(at);
    int start = descriptorEnd(word);
    for (String operator : OPERATORS) {
      if (word.startsWith(operator, start)) {
        return start + operator.length() == word.length() ? 2 : 1;
      }
    }
    return 0;
  }

  /** Whether the text may stand in front of an operator: nothing, digits or {@code {name}}. */
  static boolean mayStart(String text) {
    return descriptorEnd(text) == text.length();
  }

  /** Where the descriptor in front of an operator ends. */
  private static int descriptorEnd(String word) {
    int end = word.startsWith("{") ? word.indexOf('}') + 1 : 0;
    if (end > 0) {
      return CommandWords.isName(word.substring(1, end - 1)) ? end : 0;
    }
    while (end < word.length() && CommandWords.isDigit(word.charAt(end))) {
      end++;
    }
    return end;
  }

  /** The indexes of the words that hold a target: what stands after the last {@code >}. */
  static List<Integer> targetWords(List<String> words) {
    var places = new ArrayList<Integer>();
    for (int i = 0; i < words.size(); i++) {
      if (words.get(i).indexOf('>') >= 0) {
        if (!target(words.get(i)).isEmpty()) {
          places.add(i);
        } else if (i + 1 < words.size()) {
          places.add(i + 1);
        }
      }
    }
    return places;
  }

  /** The text after the last {@code >}, the whole word when it has none. */
  static String target(String word) {
    int start = word.lastIndexOf('>') + 1;
    boolean joined = start > 0 && (word.startsWith("&", start) || word.startsWith("|", start));
    return word.substring(joined ? start + 1 : start);
  }

  /** Whether the path names a disk, memory or a port. */
  static boolean isDevice(String path) {
    return path.startsWith("/") && namesDevice(LexicalPath.normalise(path), 0);
  }

  /** Whether a device's path stands at this place of the text. */
  static boolean namesDevice(String text, int at) {
    if (!text.startsWith(DEVICES, at)) {
      return false;
    }
    for (String device : DEVICE_NAMES) {
      if (text.startsWith(device, at + DEVICES.length())) {
        return true;
      }
    }
    return false;
  }
}
