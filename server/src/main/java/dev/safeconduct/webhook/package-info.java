/**
 * Webhooks: the receivers of status changes, and their notification. The entry point is {@link
 * dev.safeconduct.webhook.NotifyReceivers}.
 */
@NullMarked
package dev.safeconduct.webhook;

import org.jspecify.annotations.NullMarked;
