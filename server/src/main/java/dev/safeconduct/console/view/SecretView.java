package dev.safeconduct.console.view;

/**
 * A page that shows a secret once; {@code console/secret.jte}.
 *
 * @param command how to use the secret; empty for no command
 * @param back the path of the next page
 */
public record SecretView(
    Layout shell, String title, String text, String secret, String command, String back) {
  @Override
  public String toString() {
    return "Secret[hidden]";
  }
}
