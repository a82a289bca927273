package dev.safeconduct.console;

import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;

/** The built-in packs and the assurance levels they need. */
final class AssuranceNeeds {
  private final List<PolicyPack> packs;

  private AssuranceNeeds(List<PolicyPack> packs) {
    this.packs = packs;
  }

  static AssuranceNeeds of(KnownPacks known, OpenPage page) {
    return new AssuranceNeeds(known.all(page.org()).toList());
  }

  /**
   * Returns a sentence for each pack that denies every request of a passport with that level,
   * although the passport has one of its capabilities.
   */
  List<String> above(AssuranceLevel level, List<String> capabilities) {
    var held = new Capabilities(JsonArray.ofStrings(capabilities));
    return packs.stream()
        .filter(pack -> pack.minAssurance().compareTo(level) > 0)
        .filter(pack -> held.holdsAny(pack.capabilities()))
        .map(pack -> pack.name() + " needs assurance level " + pack.minAssurance().wire() + ".")
        .toList();
  }

  /** Returns the level of a passport; one that is not known counts as the lowest. */
  static AssuranceLevel of(JsonObject passport) {
    return AssuranceLevel.parse(passport.text("assurance_level")).orElse(AssuranceLevel.L0);
  }
}
