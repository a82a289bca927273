package dev.safeconduct.mail;

import java.util.List;

/**
 * The content of one email: a notice to one person, and the one action that they can take.
 *
 * @param to one address
 * @param subject one line
 * @param paragraphs one line each
 * @param action the effect of following the link
 * @param closing advice for a reader who did not expect the email
 */
public record Email(
    String to,
    String subject,
    List<String> paragraphs,
    String action,
    String link,
    String closing) {
  public Email {
    paragraphs = List.copyOf(paragraphs);
  }

  /** Returns the body as plain text, with each paragraph on its own line. */
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
   * Changes text chosen by another person so that it cannot look like a link. Mail programs turn
   * {@code example.com/x} into a link, and this service's emails must not carry links of other
   * people.
   */
  public static String inert(String text) {
    return text.replaceAll("[<>/\\\\:@\\p{Cntrl}]+", " ")
        .replaceAll("\\.(?=\\S)", " ")
        .replaceAll("\\s+", " ")
        .strip();
  }

  /** Leaves out the link, which would otherwise be in every log. */
  @Override
  public String toString() {
    return "Email[" + subject + "]";
  }
}
