package dev.safeconduct.passport.catalog;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A capability of the catalogue.
 *
 * @param aliases ids that grant the same capability
 * @param params the parameters by name, which a grant may tighten
 * @param container the location of its limits; empty if no pack evaluates it
 */
public record KnownCapability(
    String id,
    List<String> aliases,
    String name,
    String description,
    String category,
    Map<String, Field> params,
    Optional<LimitContainer> container) {}
