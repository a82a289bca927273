/** Tests of JSON. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.rpc;
