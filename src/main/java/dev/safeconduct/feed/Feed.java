package dev.safeconduct.feed;

import dev.safeconduct.json.JsonObject;
import java.time.Instant;

/**
 * One feed as it was last set.
 *
 * @param values what is reported, by the id of what it is reported of
 */
public record Feed(String name, JsonObject values, Instant updatedAt) {}
