package dev.safeconduct.issuance;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lays the limits a stranger asks for over those of a preset, and refuses any that would allow more
 * than it. A limit the preset does not have is a further bound, except for those that lift one.
 */
final class NarrowLimits {
  /** Say more is allowed when they are true, whatever else they are called. */
  private static final Set<String> LIFTING = Set.of("disable_default_blocks");

  private static final int SHOWN = 200;

  private final Catalogue catalogue;

  NarrowLimits(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * The preset's limits with the narrower ones in their place.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 naming a limit that is wider, or that no
   *     capability granted here has
   */
  JsonObject run(JsonObject preset, JsonObject asked) {
    JsonObject limits = preset;
    for (String container : asked.names()) {
      JsonValue value = asked.get(container);
      String path = "limits." + container;
      JsonObject block = preset.object(container).orElse(null);
      if (block == null || !(value instanceof JsonObject members)) {
        throw refused(path, " is not a block of limits of a capability this passport gets.");
      }
      limits = limits.with(container, narrowed(path, container, block, members));
    }
    return limits;
  }

  private JsonObject narrowed(String path, String container, JsonObject block, JsonObject asked) {
    JsonObject result = block;
    for (String name : asked.names()) {
      JsonValue value = Objects.requireNonNull(asked.get(name));
      // Under another name of theirs, too, a limit is the one it is.
      String known = catalogue.canonicalLimit(container, name).orElse(name);
      if (value == JsonNull.NULL) {
        continue;
      }
      if (!isNarrower(known, block.get(known), value)) {
        throw refused(
            path + "." + name, " would allow more than the preset; leave it out or narrow it.");
      }
      result = result.with(known, value);
    }
    return result;
  }

  private static boolean isNarrower(String name, @Nullable JsonValue preset, JsonValue asked) {
    if (asked.equals(preset)) {
      return true;
    }
    return switch (asked) {
      case JsonBoolean flag -> flag.value() == tightening(name);
      case JsonNumber number ->
          !(preset instanceof JsonNumber bound)
              || (name.startsWith("min_")
                  ? number.value() >= bound.value()
                  : number.value() <= bound.value());
      case JsonArray list -> isNarrowerList(name, preset, list);
      case JsonString _, JsonObject _ -> preset == null;
      case JsonNull _ -> true;
    };
  }

  /** What the flag must be to bound more. */
  private static boolean tightening(String name) {
    return !name.startsWith("allow_") && !LIFTING.contains(name);
  }

  private static boolean isNarrowerList(String name, @Nullable JsonValue preset, JsonArray asked) {
    if (!(preset instanceof JsonArray present)) {
      return preset == null;
    }
    boolean forbids =
        name.startsWith("blocked_")
            || name.startsWith("required_")
            || name.startsWith("acceptance");
    return forbids
        ? asked.elements().containsAll(present.elements())
        : present.elements().contains(new JsonString("*"))
            || present.elements().containsAll(asked.elements());
  }

  private static ProblemException refused(String path, String what) {
    String shown = path.length() <= SHOWN ? path : path.substring(0, SHOWN) + "…";
    return Problem.invalid(shown, shown + what).toException();
  }
}
