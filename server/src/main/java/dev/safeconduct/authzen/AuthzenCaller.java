package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.telemetry.Progress;

/**
 * The caller of an AuthZEN request.
 *
 * @param org the organization whose packs and subjects apply
 * @param progress receives the progress of the evaluation
 * @param budget that all evaluations of the request share
 */
record AuthzenCaller(
    Caller caller,
    OrgId org,
    String requestId,
    String clientAddress,
    Progress progress,
    Budget budget) {
  /** Returns the caller for one of several evaluations. */
  AuthzenCaller ofMany() {
    return new AuthzenCaller(caller, org, requestId, clientAddress, progress.part(), budget);
  }
}
