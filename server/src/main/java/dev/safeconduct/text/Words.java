package dev.safeconduct.text;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Reads lists of words from one text, which has white space between them. */
public final class Words {
  private Words() {}

  public static List<String> list(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }

  /** Returns the rows of a table, one a line, with vertical bars between the columns. */
  public static List<List<String>> rows(String table) {
    return table
        .lines()
        .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList())
        .toList();
  }

  /** Returns the words, none of which may stand there twice. */
  public static Set<String> set(String text) {
    return Set.of(text.strip().split("\\s+"));
  }
}
