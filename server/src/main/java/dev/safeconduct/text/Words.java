package dev.safeconduct.text;

import java.util.List;
import java.util.Set;

/** Reads lists of words from one text, which has white space between them. */
public final class Words {
  private Words() {}

  public static List<String> list(String text) {
    return List.of(text.strip().split("\\s+"));
  }

  /** Returns the words, none of which may stand there twice. */
  public static Set<String> set(String text) {
    return Set.of(text.strip().split("\\s+"));
  }
}
