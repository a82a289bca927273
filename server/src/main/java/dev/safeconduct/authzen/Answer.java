package dev.safeconduct.authzen;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.Obligation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An evaluation response (AuthZEN section 5.5). Equal requests get equal bodies, so the decision's
 * id is sent in a header.
 *
 * @param decisionId the id of the recorded decision; empty if the request could not be evaluated
 */
record Answer(boolean decision, Optional<String> decisionId, JsonObject context) {
  private static final String REFUSED = "This is not allowed. Ask whoever runs this service why.";

  static Answer of(Decision decided, List<Obligation> obligations) {
    JsonObject.Builder context = JsonObject.builder();
    if (!decided.allowedByPolicy()) {
      Decision.Reason policy = decided.allow() ? decided.policyReason() : decided.reason();
      context.put("reason_admin", reason(policy.code() + ": " + policy.message()));
    }
    if (decided.result().observed().isPresent()) {
      context.put(DecisionJson.MODE, "observe");
    }
    if (!decided.allow()) {
      context.put("reason_user", reason(REFUSED));
    }
    var due = new ArrayList<JsonValue>();
    for (Obligation each : obligations) {
      if (decided.allow() ? each.onAllow() : each.onDeny()) {
        due.add(each.document());
      }
    }
    if (!due.isEmpty()) {
      context.put("obligations", new JsonArray(due));
    }
    return new Answer(decided.allow(), Optional.of(decided.id().toString()), context.build());
  }

  /** Returns a deny for a request that cannot be evaluated, with {@code context.error}. */
  static Answer error(int status, String message) {
    return new Answer(
        false,
        Optional.empty(),
        JsonObject.of(
            "error", JsonObject.builder().put("status", status).put("message", message).build()));
  }

  /** Returns the answer for a malformed item of a batch. */
  static Answer malformed(Problem.InvalidRequest problem) {
    return error(400, problem.message());
  }

  private static JsonObject reason(String text) {
    return JsonObject.of("403", text);
  }

  JsonObject json() {
    JsonObject.Builder json = JsonObject.builder().put("decision", decision);
    return (context.isEmpty() ? json : json.put("context", context)).build();
  }
}
