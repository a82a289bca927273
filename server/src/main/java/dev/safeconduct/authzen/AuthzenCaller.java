package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.telemetry.Progress;
import java.util.Optional;

/**
 * The caller of an AuthZEN request.
 *
 * @param org the organization whose packs and subjects apply
 * @param mcpServer the MCP server that the address names
 * @param progress receives the progress of the evaluation
 * @param budget that all evaluations of the request share
 */
record AuthzenCaller(
    Caller caller,
    OrgId org,
    Optional<String> mcpServer,
    String requestId,
    String clientAddress,
    Progress progress,
    Budget budget) {
  /** Returns the caller for one of several evaluations. */
  AuthzenCaller ofMany() {
    return new AuthzenCaller(
        caller, org, mcpServer, requestId, clientAddress, progress.part(), budget);
  }
}
