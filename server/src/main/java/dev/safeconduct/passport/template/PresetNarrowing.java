package dev.safeconduct.passport.template;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldCheck;
import dev.safeconduct.passport.catalog.KnownCapability;
import dev.safeconduct.passport.catalog.LimitsCheck;
import dev.safeconduct.passport.catalog.Narrows.Direction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Applies an anonymous request to a preset. Limits and params may restrict more than the preset
 * does; anything that allows more is rejected. This includes a limit that the preset omits because
 * its absence is more restrictive.
 */
public final class PresetNarrowing {
  private final Catalogue catalogue;
  private final LimitsCheck check;
  private final NarrowerLimits narrower;

  public PresetNarrowing(Catalogue catalogue) {
    this.catalogue = catalogue;
    this.check = new LimitsCheck(catalogue);
    this.narrower = new NarrowerLimits(catalogue);
  }

  /**
   * Returns the preset's limits with the narrower ones in their place.
   *
   * @throws ProblemException 400 naming a limit that is wider, unknown, or not part of any granted
   *     capability
   */
  public JsonObject limits(JsonObject preset, JsonObject asked) {
    JsonObject over = JsonObject.EMPTY;
    for (String container : asked.names()) {
      if (preset.object(container).isEmpty()
          || !(asked.get(container) instanceof JsonObject members)) {
        String path = FieldCheck.shown("limits." + container);
        throw FieldCheck.wrong(
            path, " is not a block of limits of a capability this passport gets.");
      }
      over = over.with(container, withBlocks(container, preset, withoutNulls(members)));
    }
    check.run(over);
    try {
      return narrower.run(preset, over);
    } catch (ProblemException e) {
      throw wider(e, asked);
    }
  }

  /**
   * Rejects params of a capability that allow more than no params.
   *
   * @throws ProblemException 400 naming the param
   */
  public void params(String path, String capability, JsonObject asked) {
    Map<String, Field> fields =
        catalogue.capability(capability).map(KnownCapability::params).orElse(Map.of());
    try {
      NarrowerValue.checkMembers(path, fields, JsonObject.EMPTY, asked);
    } catch (ProblemException e) {
      throw wider(e, JsonObject.EMPTY);
    }
  }

  /** Adds what the preset blocks: a caller who blocks more need not know that list. */
  private JsonObject withBlocks(String container, JsonObject preset, JsonObject asked) {
    JsonObject theirs = preset.child(container);
    JsonObject result = asked;
    for (String name : asked.names()) {
      Optional<Field> field =
          catalogue
              .container(container)
              .flatMap(all -> Optional.ofNullable(all.fields().get(name)));
      if (field.isPresent()
          && field.get().narrows().direction() == Direction.MORE
          && theirs.get(field.get().name()) instanceof JsonArray above
          && asked.get(name) instanceof JsonArray own) {
        var all = new LinkedHashSet<JsonValue>();
        above.forEach(all::add);
        own.forEach(all::add);
        result = result.with(name, new JsonArray(List.copyOf(all)));
      }
    }
    return result;
  }

  private static JsonObject withoutNulls(JsonObject members) {
    JsonObject result = members;
    for (String name : members.names()) {
      if (members.get(name) == JsonNull.NULL) {
        result = result.without(name);
      }
    }
    return result;
  }

  /**
   * Returns the same error for the same field, as the request spells it, with a message about
   * presets.
   */
  private ProblemException wider(ProblemException refused, JsonObject asked) {
    if (refused.problem() instanceof Problem.InvalidRequest(_, Optional<String> field)
        && field.isPresent()) {
      String path = FieldCheck.shown(spelled(field.get(), asked));
      return FieldCheck.wrong(
          path, " would allow more than the preset; leave it out or narrow it.");
    }
    return refused;
  }

  private String spelled(String path, JsonObject asked) {
    for (String container : asked.names()) {
      for (String name : asked.child(container).names()) {
        String known =
            "limits." + container + "." + catalogue.canonicalLimit(container, name).orElse(name);
        if (path.equals(known) || path.startsWith(known + ".")) {
          return "limits." + container + "." + name + path.substring(known.length());
        }
      }
    }
    return path;
  }
}
