package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a message may mention people, or a whole group at once. */
final class MentionRule {
  private static final JsonValue LIMITED = new JsonString("limited");
  private static final JsonValue ALL = new JsonString("all");

  private MentionRule() {}

  static RuleResult check(Facts facts) {
    List<JsonValue> policies = policies(facts);
    if (policies.stream().allMatch(ALL::equals)) {
      return RuleResult.pass();
    }
    List<String> mentions = facts.context().list("mentions").strings().toList();
    if (!mentions.isEmpty()
        && policies.stream().anyMatch(policy -> !policy.equals(ALL) && !policy.equals(LIMITED))) {
      return RuleResult.fail("Mentions are not allowed.");
    }
    if (GroupMention.isIn(facts.context().text("message"))
        || mentions.stream().anyMatch(GroupMention::isMeantBy)) {
      return RuleResult.fail("Mentions of a whole group are not allowed.");
    }
    return RuleResult.pass();
  }

  /** Returns every policy that is set, of any type, or the limited policy if none is set. */
  private static List<JsonValue> policies(Facts facts) {
    var policies = new ArrayList<JsonValue>();
    add(policies, facts.limits().get("mention_policy"));
    for (JsonObject params : facts.params()) {
      add(policies, params.present("mention_policy"));
    }
    return policies.isEmpty() ? List.of(LIMITED) : policies;
  }

  private static void add(List<JsonValue> policies, @Nullable JsonValue policy) {
    if (policy != null) {
      policies.add(policy);
    }
  }
}
