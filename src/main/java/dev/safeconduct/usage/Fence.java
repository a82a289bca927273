package dev.safeconduct.usage;

import java.util.List;

/**
 * The state of the world a decision was judged in: it commits only if none of the subjects has
 * changed after the sequence.
 *
 * @param sequence {@link dev.safeconduct.audit.ChangeFeed#sequence} before the first fact was read
 * @param subjects the passport, its templates, the feeds, the caller's key, the packs' owner
 */
public record Fence(long sequence, List<String> subjects) {
  public Fence {
    subjects = List.copyOf(subjects);
  }
}
