package dev.safeconduct.decision.task;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What an agent says about the criteria of its task; what it adds unasked is held to it too. */
final class Attestations {
  private Attestations() {}

  /** Every criterion of the passport has an attestation. */
  static Verdict complete(Facts facts) {
    JsonValue limit = facts.limits().get("acceptance_criteria");
    if (limit == null) {
      return Verdict.pass();
    }
    if (!(limit instanceof JsonArray criteria)) {
      return Verdict.fail("acceptance_criteria is not a list.");
    }
    Set<String> attested = new HashSet<>();
    for (JsonObject attestation : given(facts)) {
      attestation.string("criterion_id").ifPresent(attested::add);
    }
    for (JsonValue criterion : criteria) {
      Optional<String> id =
          criterion instanceof JsonObject object ? object.string("id") : Optional.empty();
      if (id.isEmpty()) {
        return Verdict.fail("acceptance_criteria holds something without an id.");
      }
      if (!attested.contains(id.get())) {
        return Verdict.fail("The criterion " + Excerpt.of(id.get()) + " is not attested.");
      }
    }
    return Verdict.pass();
  }

  /** Every attestation has evidence that says something: more than white space. */
  static Verdict evidence(Facts facts) {
    for (JsonObject attestation : given(facts)) {
      if (Folding.fold(attestation.string("evidence").orElse("")).isEmpty()) {
        return Verdict.fail("There is no evidence for " + criterion(attestation) + ".");
      }
    }
    return Verdict.pass();
  }

  /** Every attestation says exactly true; "true" and 1 are not true. */
  static Verdict met(Facts facts) {
    for (JsonObject attestation : given(facts)) {
      if (!attestation.isTrue("met")) {
        return Verdict.fail(criterion(attestation) + " is not met.");
      }
    }
    return Verdict.pass();
  }

  private static List<JsonObject> given(Facts facts) {
    return facts
        .context()
        .array("criteria_attestations")
        .orElse(JsonArray.EMPTY)
        .elements()
        .stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .toList();
  }

  private static String criterion(JsonObject attestation) {
    return "the criterion " + Excerpt.of(attestation.string("criterion_id").orElse(""));
  }
}
