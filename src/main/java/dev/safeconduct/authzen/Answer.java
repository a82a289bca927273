package dev.safeconduct.authzen;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.Obligation;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.verify.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An answer to an evaluation (AuthZEN section 5.5). Equal questions get equal answers: what is
 * particular to this decision, its id, goes into a header.
 *
 * @param decisionId under which the decision is recorded; empty when there is none, because the
 *     question could not be judged
 */
record Answer(boolean decision, Optional<String> decisionId, JsonObject context) {
  private static final String REFUSED = "This is not allowed. Ask whoever runs this service why.";

  static Answer of(Verdict verdict, List<Obligation> obligations) {
    JsonObject.Builder context = JsonObject.builder();
    if (!verdict.allow()) {
      context.put("reason_admin", reason(verdict.code() + ": " + verdict.message()));
      context.put("reason_user", reason(REFUSED));
    }
    var due = new ArrayList<JsonValue>();
    for (Obligation each : obligations) {
      if (verdict.allow() ? each.onAllow() : each.onDeny()) {
        due.add(each.document());
      }
    }
    if (!due.isEmpty()) {
      context.put("obligations", new JsonArray(due));
    }
    return new Answer(verdict.allow(), Optional.of(verdict.decisionId()), context.build());
  }

  /** The question could not be judged: closed, and {@code context.error} says why. */
  static Answer error(int status, String message) {
    return new Answer(
        false,
        Optional.empty(),
        JsonObject.builder()
            .put(
                "error", JsonObject.builder().put("status", status).put("message", message).build())
            .build());
  }

  /** What a batch says of an item that is malformed. */
  static Answer malformed(Problem.InvalidRequest problem) {
    return error(400, problem.message());
  }

  private static JsonObject reason(String text) {
    return JsonObject.builder().put("403", text).build();
  }

  JsonObject json() {
    JsonObject.Builder json = JsonObject.builder().put("decision", decision);
    return (context.isEmpty() ? json : json.put("context", context)).build();
  }
}
