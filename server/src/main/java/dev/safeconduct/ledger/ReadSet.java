package dev.safeconduct.ledger;

import java.util.List;

/**
 * The subjects a decision was evaluated by. The decision commits only if none of them has changed
 * after the sequence.
 *
 * @param sequence {@link dev.safeconduct.ledger.ChangeFeed#sequence} before the first fact was read
 * @param subjects the passport, its templates, the feeds, the caller's key, the packs' owner, halts
 */
public record ReadSet(long sequence, List<String> subjects) {
  public ReadSet {
    subjects = List.copyOf(subjects);
  }
}
