/** What clients connect to. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.front;
