/** Tests of the relay of messages. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.relay;
