package dev.safeconduct.mail;

import java.util.Optional;

/** Writes the emails of one kind at the moment they are sent. */
@FunctionalInterface
public interface EmailTemplate {
  /**
   * Returns the email, or empty when its occasion has passed; then no email is sent. May be called
   * again for the same entry when sending has failed.
   */
  Optional<Email> write(OutboxEntry entry);
}
