package dev.safeconduct.console;

/**
 * The page on which a person signs in; {@code console/sign-in.jte}.
 *
 * @param next where they wanted to go
 * @param problem why they have to try again; empty for the first time
 * @param notice what has happened before; empty for nothing
 */
public record SignInForm(
    String csrf, String next, String email, String problem, String notice, Shell.Assets assets) {}
