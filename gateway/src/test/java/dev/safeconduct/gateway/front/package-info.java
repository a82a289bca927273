/** Tests of the clients of the gateway. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.front;
