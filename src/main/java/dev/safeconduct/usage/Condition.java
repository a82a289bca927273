package dev.safeconduct.usage;

/**
 * What a decision took for granted about a counter, checked again in the transaction that records
 * it: the unexpired charges sum to at most this much.
 */
public record Condition(CounterKey key, long atMost) {}
