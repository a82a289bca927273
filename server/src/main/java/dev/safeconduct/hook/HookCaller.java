package dev.safeconduct.hook;

import dev.safeconduct.identity.Origin;
import dev.safeconduct.telemetry.Progress;
import java.util.List;

/**
 * Who sends a hook event.
 *
 * @param agentIds the passport's ids in the request, as written; none for a setup key
 * @param localApproval whether the agent's user may approve what needs an approval
 */
record HookCaller(Origin origin, List<String> agentIds, boolean localApproval, Progress progress) {}
