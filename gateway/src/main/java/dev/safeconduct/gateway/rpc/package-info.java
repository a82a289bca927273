/** JSON-RPC messages: strict parsing, errors. */
@org.jspecify.annotations.NullMarked
package dev.safeconduct.gateway.rpc;
