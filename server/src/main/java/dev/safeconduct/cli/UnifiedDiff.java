package dev.safeconduct.cli;

import java.util.List;
import java.util.stream.IntStream;

/** The difference of two texts in the form of {@code diff -u}, as one hunk. */
final class UnifiedDiff {
  private static final int CONTEXT = 3;

  private UnifiedDiff() {}

  /** Returns the difference, empty if there is none; each line ends with a line feed. */
  static String of(String name, String before, String after) {
    if (before.equals(after)) {
      return "";
    }
    List<String> old = lines(before);
    List<String> now = lines(after);
    int head = same(old, now);
    int tail = sameAtEnd(old, now, head);
    int from = Math.max(0, head - CONTEXT);
    int oldEnd = Math.min(old.size(), old.size() - tail + CONTEXT);
    int newEnd = Math.min(now.size(), now.size() - tail + CONTEXT);
    var diff = new StringBuilder("--- " + name + "\n+++ " + name + "\n");
    diff.append("@@ -").append(range(from, oldEnd)).append(" +").append(range(from, newEnd));
    diff.append(" @@\n");
    append(diff, ' ', old.subList(from, head));
    append(diff, '-', old.subList(head, old.size() - tail));
    append(diff, '+', now.subList(head, now.size() - tail));
    append(diff, ' ', old.subList(old.size() - tail, oldEnd));
    return diff.toString();
  }

  /** Returns how many elements both lists begin with. */
  static int same(List<?> old, List<?> now) {
    int least = Math.min(old.size(), now.size());
    return (int) IntStream.range(0, least).takeWhile(i -> old.get(i).equals(now.get(i))).count();
  }

  /** Returns how many elements both lists end with, after those that they begin with. */
  static int sameAtEnd(List<?> old, List<?> now, int begin) {
    return same(
        old.subList(begin, old.size()).reversed(), now.subList(begin, now.size()).reversed());
  }

  private static String range(int from, int end) {
    return (end == from ? from : from + 1) + "," + (end - from);
  }

  private static List<String> lines(String text) {
    return text.isEmpty()
        ? List.of()
        : List.of(text.split("(?<=\n)", -1)).stream().filter(line -> !line.isEmpty()).toList();
  }

  private static void append(StringBuilder to, char sign, List<String> lines) {
    for (String line : lines) {
      to.append(sign).append(line);
      if (!line.endsWith("\n")) {
        to.append("\n\\ No newline at end of file\n");
      }
    }
  }
}
