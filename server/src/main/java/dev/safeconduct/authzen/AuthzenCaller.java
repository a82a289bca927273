package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.telemetry.Progress;

/**
 * The caller of an AuthZEN request.
 *
 * @param org the organization whose packs and subjects apply
 * @param progress receives the progress of the evaluation
 */
record AuthzenCaller(
    Caller caller, OrgId org, String requestId, String clientAddress, Progress progress) {
  /** Returns the caller for one of several evaluations. */
  AuthzenCaller ofMany() {
    return new AuthzenCaller(caller, org, requestId, clientAddress, progress.part());
  }
}
