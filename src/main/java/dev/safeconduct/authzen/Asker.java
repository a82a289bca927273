package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.trace.Progress;

/**
 * Who asks.
 *
 * @param org the organization whose packs and subjects are meant
 * @param progress told how the answer comes about
 */
record Asker(Caller caller, OrgId org, String requestId, String clientAddress, Progress progress) {
  /** Who asks one of several questions. */
  Asker ofMany() {
    return new Asker(caller, org, requestId, clientAddress, progress.part());
  }
}
