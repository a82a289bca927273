package dev.safeconduct.passport;

import dev.safeconduct.identity.PassportStatus;
import java.util.Optional;

/**
 * A filter for passport lists; empty parts do not restrict the result.
 *
 * @param capability an id of a capability the passport must have
 * @param framework a framework the passport must name
 * @param text a text to find in name, slug and agent id, ignoring case
 */
public record PassportFilter(
    Optional<PassportStatus> status,
    Optional<String> framework,
    Optional<String> capability,
    Optional<String> text) {}
