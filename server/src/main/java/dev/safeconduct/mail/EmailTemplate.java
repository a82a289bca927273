package dev.safeconduct.mail;

import java.util.Optional;

/** Writes the e-mails of one kind at the moment they are sent. */
@FunctionalInterface
public interface EmailTemplate {
  /**
   * Returns the e-mail, or empty when its occasion has passed; then no e-mail is sent. May be
   * called again for the same entry when sending has failed.
   */
  Optional<Email> write(OutboxEntry entry);
}
