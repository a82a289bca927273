package dev.safeconduct.audit.stream;

/** Counts for the metrics of one destination. */
public interface StreamCounts {
  /** Records were sent, perhaps again. */
  void sent(long records);

  void failed();

  /** The destination has refused records while it accepted others. */
  void setAside(long records);
}
