package dev.safeconduct.console;

/**
 * A page that shows a secret, once; {@code console/secret.jte}.
 *
 * @param command how it is used; empty for nothing to paste
 * @param back where the reader goes on
 */
public record Secret(
    Shell shell, String title, String text, String secret, String command, String back) {
  @Override
  public String toString() {
    return "Secret[hidden]";
  }
}
