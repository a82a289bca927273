package dev.safeconduct.mail;

import java.time.Instant;

/**
 * A letter that is to be sent. It is written only when it is: what is kept names its occasion, and
 * never a link.
 *
 * @param id unique, as long as the entry exists
 * @param kind which {@link LetterWriter} writes it
 * @param subject what that writer needs to know, for example a claim's id
 * @param attempts how often it has been tried
 * @param nextAt from when it may be tried
 */
public record OutboxEntry(
    String id, String kind, String subject, Instant createdAt, int attempts, Instant nextAt) {
  /** A letter to be sent at once. */
  public static OutboxEntry of(String id, String kind, String subject, Instant now) {
    return new OutboxEntry(id, kind, subject, now, 0, now);
  }
}
