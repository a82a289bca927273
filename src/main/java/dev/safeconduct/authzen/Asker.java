package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;

/**
 * Who asks.
 *
 * @param org the organization whose packs and subjects are meant
 */
record Asker(Caller caller, OrgId org, String requestId, String clientAddress) {}
