/**
 * Telling receivers outside that a status has changed: who wants to know, the signed delivery, and
 * what could not be delivered. It begins at {@link dev.safeconduct.webhook.TellReceivers}.
 */
@NullMarked
package dev.safeconduct.webhook;

import org.jspecify.annotations.NullMarked;
