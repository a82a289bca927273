package dev.safeconduct.people;

/**
 * The page on which a person sets their password; {@code people/password.jte}.
 *
 * @param email whose
 * @param csrfToken for the form
 * @param asksEmail whether the person has yet to say what their address is
 * @param problem why it has to be filled in again; empty for the first time
 */
public record PasswordForm(
    String email, String csrfToken, boolean asksEmail, String problem, int minLength) {}
