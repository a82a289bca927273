/** Letters to people: a durable outbox, and the ways out of it by SMTP or into a folder. */
@NullMarked
package dev.safeconduct.mail;

import org.jspecify.annotations.NullMarked;
