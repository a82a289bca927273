package dev.safeconduct.audit.stream;

import dev.safeconduct.telemetry.LabeledCounter;

/**
 * Counts for the metrics of one destination.
 *
 * @param setAside records that the destination has refused while it accepted others
 */
public record StreamCounts(
    String destination, LabeledCounter sent, LabeledCounter failed, LabeledCounter setAside) {
  public StreamCounts {
    sent.add(0, destination);
    failed.add(0, destination);
    setAside.add(0, destination);
  }

  /** Records were sent, perhaps again. */
  void sent(long records) {
    sent.add((double) records, destination);
  }

  void fails() {
    failed.count(destination);
  }

  void setAside(long records) {
    setAside.add((double) records, destination);
  }
}
