/** What may pass: the table of methods, decisions of the service, pins of tools. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.policy;
