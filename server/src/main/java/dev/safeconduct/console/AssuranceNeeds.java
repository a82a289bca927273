package dev.safeconduct.console;

import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** The built-in packs and the assurance levels they need. */
final class AssuranceNeeds {
  private final List<JsonObject> packs;

  private AssuranceNeeds(List<JsonObject> packs) {
    this.packs = packs;
  }

  static AssuranceNeeds read(OpenPage page) {
    return new AssuranceNeeds(page.bare("/api/policies"));
  }

  /**
   * Returns a sentence for each pack that denies every request of a passport with that level,
   * although the passport has one of its capabilities.
   */
  List<String> above(AssuranceLevel level, List<String> capabilities) {
    var held = new Capabilities(JsonArray.ofStrings(capabilities));
    return packs.stream()
        .filter(pack -> needed(pack).compareTo(level) > 0)
        .filter(pack -> held.holdsAny(AnswerReader.texts(pack, "requires_capabilities")))
        .map(pack ->
            AnswerReader.text(pack, "name")
                + " ("
                + AnswerReader.text(pack, "id")
                + ") needs assurance level "
                + needed(pack).wire()
                + ".")
        .toList();
  }

  private static AssuranceLevel needed(JsonObject pack) {
    return AssuranceLevel.parse(AnswerReader.text(pack, "min_assurance")).orElse(AssuranceLevel.L0);
  }

  /** Returns the level of a passport; one that is not known counts as the lowest. */
  static AssuranceLevel of(JsonObject passport) {
    return AssuranceLevel.parse(AnswerReader.text(passport, "assurance_level"))
        .orElse(AssuranceLevel.L0);
  }
}
