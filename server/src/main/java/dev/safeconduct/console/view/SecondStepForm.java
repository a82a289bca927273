package dev.safeconduct.console.view;

import java.util.Optional;

/**
 * The second step of a sign-in; {@code console/second-step.jte}.
 *
 * @param next the path of the page that the person requested
 * @param email the address of the account
 * @param registers whether the person must register a passkey; otherwise they have one
 * @param options what the browser gets to use or make a passkey, as JSON; empty where browsers
 *     offer no passkeys
 * @param name the suggested name of a new passkey
 * @param problem why the step failed; empty at first
 */
public record SecondStepForm(
    String csrf,
    String next,
    String email,
    boolean registers,
    Optional<String> options,
    String name,
    String problem,
    Layout.Assets assets) {}
