package dev.safeconduct.passport;

import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.Map;
import java.util.Optional;

/**
 * Lays what a stranger asks for over a preset. Limits and params may bound more than the preset
 * does; what would allow more is refused, a limit the preset leaves out because its absence is the
 * tighter state included.
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
   * The preset's limits with the narrower ones in their place.
   *
   * @throws ProblemException 400 naming a limit that is wider, that nobody knows, or that no
   *     capability granted here has
   */
  public JsonObject limits(JsonObject preset, JsonObject asked) {
    JsonObject over = JsonObject.EMPTY;
    for (String container : asked.names()) {
      if (preset.object(container).isEmpty()
          || !(asked.get(container) instanceof JsonObject members)) {
        String path = FieldCheck.shown("limits." + container);
        throw FieldCheck.wrong(
            path, path + " is not a block of limits of a capability this passport gets.");
      }
      over = over.with(container, withoutNulls(members));
    }
    check.run(over);
    try {
      return narrower.run(preset, over);
    } catch (ProblemException e) {
      throw wider(e, asked);
    }
  }

  /**
   * Refuses params of a capability that allow more than none at all.
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

  private static JsonObject withoutNulls(JsonObject members) {
    JsonObject result = members;
    for (String name : members.names()) {
      if (members.get(name) == JsonNull.NULL) {
        result = result.without(name);
      }
    }
    return result;
  }

  /** The same field, as it was spelled, in words that know of presets. */
  private ProblemException wider(ProblemException refused, JsonObject asked) {
    if (refused.problem() instanceof Problem.InvalidRequest(_, Optional<String> field)
        && field.isPresent()) {
      String path = FieldCheck.shown(spelled(field.get(), asked));
      return FieldCheck.wrong(
          path, path + " would allow more than the preset; leave it out or narrow it.");
    }
    return refused;
  }

  private String spelled(String path, JsonObject asked) {
    for (String container : asked.names()) {
      for (String name : asked.object(container).orElse(JsonObject.EMPTY).names()) {
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
