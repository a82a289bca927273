package dev.safeconduct.gateway.relay;

/**
 * Who makes a request.
 *
 * @param id distinguishes clients; progress, cancelling and tasks stay within one
 * @param agentId the passport that decides
 */
public record Principal(String id, String agentId) {}
