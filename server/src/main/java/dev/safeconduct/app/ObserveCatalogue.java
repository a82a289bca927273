package dev.safeconduct.app;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.decision.ObserveRules;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.KnownCapability;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads {@code observe.json}: which denials observe mode lifts, and which packs are about money.
 */
public final class ObserveCatalogue {
  private ObserveCatalogue() {}

  public static ObserveRules read(Catalogue catalogue) {
    JsonObject file = ReleaseFile.read("observe.json");
    JsonObject money = file.object("money").orElseThrow();
    List<String> categories = texts(money, "categories");
    var capabilities = new HashSet<String>(texts(money, "capabilities"));
    for (String id : catalogue.capabilityIds()) {
      catalogue
          .capability(id)
          .filter(known -> categories.contains(known.category()))
          .ifPresent(known -> addNames(known, capabilities));
    }
    return new ObserveRules(
        Set.copyOf(texts(file, "own_lists")),
        Set.copyOf(texts(file, "always_denied")),
        Set.copyOf(texts(file, "words_of_block_lists")),
        capabilities,
        Set.copyOf(texts(money, "words")));
  }

  private static void addNames(KnownCapability known, Set<String> names) {
    names.add(known.id());
    names.addAll(known.aliases());
  }

  private static List<String> texts(JsonObject object, String name) {
    return object.array(name).map(JsonArray::texts).orElseThrow();
  }
}
