package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rules for an agent's attestations about its task's criteria, including additional ones. */
final class Attestations {
  private Attestations() {}

  /** Every criterion of the passport has an attestation. */
  static RuleResult complete(Facts facts) {
    JsonValue limit = facts.limits().get("acceptance_criteria");
    if (limit == null) {
      return RuleResult.pass();
    }
    if (!(limit instanceof JsonArray criteria)) {
      return RuleResult.fail("acceptance_criteria is not a list.");
    }
    Set<String> attested = new HashSet<>();
    for (JsonObject attestation : given(facts)) {
      attestation.string("criterion_id").ifPresent(attested::add);
    }
    for (JsonValue criterion : criteria) {
      Optional<String> id =
          criterion instanceof JsonObject object ? object.string("id") : Optional.empty();
      if (id.isEmpty()) {
        return RuleResult.fail("acceptance_criteria holds something without an id.");
      }
      if (!attested.contains(id.get())) {
        return RuleResult.fail("The criterion " + Excerpt.of(id.get()) + " is not attested.");
      }
    }
    return RuleResult.pass();
  }

  /** Every attestation has evidence with more than white space. */
  static RuleResult evidence(Facts facts) {
    for (JsonObject attestation : given(facts)) {
      if (Folding.isInvisible(attestation.text("evidence"))) {
        return RuleResult.fail("There is no evidence for " + criterion(attestation) + ".");
      }
    }
    return RuleResult.pass();
  }

  /** Every attestation is exactly true; "true" and 1 are not true. */
  static RuleResult met(Facts facts) {
    for (JsonObject attestation : given(facts)) {
      if (!attestation.isTrue("met")) {
        return RuleResult.fail(criterion(attestation) + " is not met.");
      }
    }
    return RuleResult.pass();
  }

  private static List<JsonObject> given(Facts facts) {
    return facts.context().list("criteria_attestations").elements().stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .toList();
  }

  private static String criterion(JsonObject attestation) {
    return "the criterion " + Excerpt.of(attestation.text("criterion_id"));
  }
}
