package dev.safeconduct.mail;

import java.util.List;

/**
 * What one person is told, and the one thing they can do about it.
 *
 * @param to one address
 * @param subject one line
 * @param paragraphs one line each
 * @param action what following the link does
 * @param closing what to do when the letter is not meant for its reader
 */
public record Letter(
    String to,
    String subject,
    List<String> paragraphs,
    String action,
    String link,
    String closing) {
  public Letter {
    paragraphs = List.copyOf(paragraphs);
  }

  /** The letter without its marks, each paragraph on a line of its own. */
  String text() {
    return String.join("\n\n", paragraphs)
        + "\n\n"
        + action
        + ":\n"
        + link
        + "\n\n"
        + closing
        + "\n";
  }

  /**
   * Text that somebody else has chosen, made unable to look like a link: mail programs turn {@code
   * example.com/x} into one by themselves, and our letters must not carry other people's.
   */
  public static String inert(String text) {
    return text.replaceAll("[<>/\\\\:@\\p{Cntrl}]+", " ")
        .replaceAll("\\.(?=\\S)", " ")
        .replaceAll("\\s+", " ")
        .strip();
  }

  /** Not the link: it would be in every log. */
  @Override
  public String toString() {
    return "Letter[" + subject + "]";
  }
}
