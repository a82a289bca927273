package dev.safeconduct.audit;

import java.util.List;
import java.util.Optional;

/** Checkpoints as witnesses have signed them. */
public interface CosignedLog {
  /**
   * Keeps a checkpoint under its size, with cosignatures; a witness's later one replaces its own.
   */
  void add(long size, String note, List<Cosignature> cosignatures);

  /** The cosignatures of a size. */
  List<Cosignature> of(long size);

  /** The largest checkpoint that has a cosignature, as the service signed it. */
  Optional<String> latest();
}
