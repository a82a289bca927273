package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** The kind of a code.repository.merge.v1 action, and the capability that it requires. */
final class MergeAction {
  private MergeAction() {}

  static String of(Facts facts) {
    return facts.context().text("action");
  }

  static boolean isPullRequest(Facts facts) {
    return of(facts).startsWith("pr.");
  }

  static boolean isMerge(Facts facts) {
    return of(facts).equals("pr.merge");
  }

  /** Returns the params of the required capability. The other capability's params do not apply. */
  static List<JsonObject> params(Facts facts) {
    String capability =
        switch (of(facts)) {
          case "pr.merge", "branch.delete" -> "repo.merge";
          default -> "repo.pr.create";
        };
    return facts.capabilities().params(List.of(capability));
  }
}
