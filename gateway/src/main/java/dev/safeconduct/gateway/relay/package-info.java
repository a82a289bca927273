/** One client's conversation with one server. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.relay;
