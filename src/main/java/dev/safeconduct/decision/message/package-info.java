/** The rules about a message's channel, recipients and mentions (messaging.message.send.v1). */
@NullMarked
package dev.safeconduct.decision.message;

import org.jspecify.annotations.NullMarked;
