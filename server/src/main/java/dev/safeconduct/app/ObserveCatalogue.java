package dev.safeconduct.app;

import dev.safeconduct.decision.ObserveRules;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.KnownCapability;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Reads {@code observe.json}: which denials observe mode lifts, and which packs are about money.
 */
public final class ObserveCatalogue {
  private ObserveCatalogue() {}

  public static ObserveRules read(Catalogue catalogue) {
    try (InputStream in =
        Objects.requireNonNull(ObserveCatalogue.class.getResourceAsStream("/observe.json"))) {
      JsonObject file = Json.parseObject(in.readAllBytes());
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
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonFault e) {
      throw new IllegalStateException("observe.json is broken", e);
    }
  }

  private static void addNames(KnownCapability known, Set<String> names) {
    names.add(known.id());
    names.addAll(known.aliases());
  }

  private static List<String> texts(JsonObject object, String name) {
    return object.array(name).map(JsonArray::texts).orElseThrow();
  }
}
