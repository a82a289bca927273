package dev.safeconduct.telemetry;

import io.prometheus.metrics.core.metrics.Counter;

/** A counter with labels. The caller must bound the number of label values. */
public final class LabeledCounter {
  private final Counter counter;

  LabeledCounter(Counter counter) {
    this.counter = counter;
  }

  /** Adds one; a value for each label, in their order. */
  public void count(String... values) {
    add(1, values);
  }

  /**
   * Adds as many; a value for each label, in their order. Zero shows the counter before its first
   * event, so that this event is an increase.
   */
  public void add(double more, String... values) {
    counter.labelValues(values).inc(more);
  }
}
