package dev.safeconduct.mcp;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/**
 * The caller of a tool.
 *
 * @param agent the passport for which the caller asks, as named by the connection
 * @param api asks for decisions as the caller
 */
record Asker(Caller caller, Optional<String> agent, Verify api) {
  /** Calls {@code POST /api/verify/policy/{policy_id}} inside the process. */
  interface Verify {
    /**
     * Returns the response of the verify call.
     *
     * @throws dev.safeconduct.error.ProblemException the error of the verify call
     */
    JsonObject ask(String policyId, String query, JsonObject body);
  }

  String requiredAgent() {
    return agent.orElseThrow(() ->
        Problem.invalid(
                "agent_id",
                "This connection names no passport. Connect with the setup key of a passport, or"
                    + " send its agent id in the header Safeconduct-Agent (SAFECONDUCT_AGENT_ID of"
                    + " safeconduct mcp-server).")
            .toException());
  }
}
