package dev.safeconduct.access.people;

import dev.safeconduct.access.StartSession;

/**
 * The settings a page needs to sign people in.
 *
 * @param secure whether cookies travel over TLS only
 */
public record SignIn(
    LogIn logIn,
    StartSession sessions,
    Accounts accounts,
    ForgotPassword forgotPassword,
    FormToken forms,
    boolean secure) {}
