/** Emails to people: a durable outbox, and transports by SMTP or into a folder. */
@NullMarked
package dev.safeconduct.mail;

import org.jspecify.annotations.NullMarked;
