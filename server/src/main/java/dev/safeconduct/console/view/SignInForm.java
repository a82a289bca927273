package dev.safeconduct.console.view;

/**
 * The sign-in page; {@code console/sign-in.jte}.
 *
 * @param next the path of the page that the person requested
 * @param problem why signing in failed; empty at first
 * @param notice a message about an earlier step; empty for none
 */
public record SignInForm(
    String csrf, String next, String email, String problem, String notice, Layout.Assets assets) {}
