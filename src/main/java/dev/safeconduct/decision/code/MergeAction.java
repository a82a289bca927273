package dev.safeconduct.decision.code;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** What the asked action of code.repository.merge.v1 is about, and which capability it takes. */
final class MergeAction {
  private MergeAction() {}

  static String of(Facts facts) {
    return facts.context().string("action").orElse("");
  }

  static boolean isPullRequest(Facts facts) {
    return of(facts).startsWith("pr.");
  }

  static boolean isMerge(Facts facts) {
    return of(facts).equals("pr.merge");
  }

  /** The params of the capability the action takes; those of the other one do not bind it. */
  static List<JsonObject> params(Facts facts) {
    String capability =
        switch (of(facts)) {
          case "pr.merge", "branch.delete" -> "repo.merge";
          default -> "repo.pr.create";
        };
    return facts.capabilities().params(List.of(capability));
  }
}
