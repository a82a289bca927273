package dev.safeconduct.ledger;

/**
 * A decision's assumption about a counter: its unexpired charges sum to at most this much. The
 * transaction that records the decision checks it again.
 */
public record CounterPrecondition(CounterKey key, long atMost) {}
