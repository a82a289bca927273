/**
 * Delivering an event to a receiver: which addresses it may have, the HTTP client, retries, and
 * dead letters. The entry point is {@link dev.safeconduct.webhook.delivery.DeliverWithRetries}.
 */
@NullMarked
package dev.safeconduct.webhook.delivery;

import org.jspecify.annotations.NullMarked;
