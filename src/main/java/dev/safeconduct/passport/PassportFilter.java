package dev.safeconduct.passport;

import java.util.Optional;

/**
 * Which passports to list; absent parts do not narrow.
 *
 * @param capability an id the passport must hold
 * @param framework a framework the passport must name
 * @param text looked for in name, slug and agent id, without regard to case
 */
public record PassportFilter(
    Optional<PassportStatus> status,
    Optional<String> framework,
    Optional<String> capability,
    Optional<String> text) {}
