package dev.safeconduct.mail;

import java.time.Instant;

/**
 * An email in the queue. Its text is written only when it is sent: the stored entry names the
 * occasion, and never contains a link.
 *
 * @param id unique, as long as the entry exists
 * @param kind selects the {@link EmailTemplate} that writes it
 * @param subject the input of that template, for example a claim's id
 * @param attempts the number of attempts so far
 * @param nextAt the earliest time of the next attempt
 */
public record OutboxEntry(
    String id, String kind, String subject, Instant createdAt, int attempts, Instant nextAt) {
  /** Returns the entry of an email to be sent at once. */
  public static OutboxEntry of(String id, String kind, String subject, Instant now) {
    return new OutboxEntry(id, kind, subject, now, 0, now);
  }
}
