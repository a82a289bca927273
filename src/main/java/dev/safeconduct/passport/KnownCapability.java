package dev.safeconduct.passport;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A capability of the catalogue.
 *
 * @param aliases ids that grant the same
 * @param params by name; what a grant may tighten
 * @param container where its limits stand; empty for one that no pack evaluates
 */
record KnownCapability(
    String id,
    List<String> aliases,
    String name,
    String description,
    String category,
    Map<String, Field> params,
    Optional<LimitContainer> container) {}
