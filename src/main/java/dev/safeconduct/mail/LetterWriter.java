package dev.safeconduct.mail;

import java.util.Optional;

/** Writes the letters of one kind, at the moment they are sent. */
@FunctionalInterface
public interface LetterWriter {
  /**
   * The letter; empty when its occasion has passed, and then none is sent. May be asked again for
   * the same entry when sending failed.
   */
  Optional<Letter> write(OutboxEntry entry);
}
