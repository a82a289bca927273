package dev.safeconduct.hook;

import java.util.Optional;

/**
 * The result of a hook event.
 *
 * @param recordId the decision that determines the outcome, or the record of an event that no
 *     policy evaluates
 * @param error why no policy could be asked
 */
record Answered(HookOutcome outcome, String recordId, Optional<String> error) {}
