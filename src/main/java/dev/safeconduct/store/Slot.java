package dev.safeconduct.store;

import dev.safeconduct.usage.CounterKey;

/** One row of the counter table: what a counter holds until it expires. */
record Slot(CounterKey key, long expiresAtMs) {}
