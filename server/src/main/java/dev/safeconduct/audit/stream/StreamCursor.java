package dev.safeconduct.audit.stream;

import java.time.Instant;

/**
 * How far a stream has come, as the database keeps it.
 *
 * @param progress of the destination
 * @param holder the node that sends; empty for none
 * @param beat counts the holder's signs of life
 */
record StreamCursor(
    String name, StreamSender.Progress progress, String holder, long beat, Instant updatedAt) {}
