/** Tests of the bridge between revisions. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.bridge;
