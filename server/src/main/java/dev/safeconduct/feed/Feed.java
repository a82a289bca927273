package dev.safeconduct.feed;

import dev.safeconduct.json.JsonObject;
import java.time.Instant;

/**
 * The last set values of one feed.
 *
 * @param values the reported values, by the id of the exchange or source
 */
public record Feed(String name, JsonObject values, Instant updatedAt) {}
