package dev.safeconduct.passport.catalog;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Checks a passport's {@code limits} against the catalogue. Inside a capability's container every
 * name must be known. Other members are stored with a warning. Containers are located as in the
 * evaluator: under their dotted name, or nested part by part.
 */
public final class LimitsCheck {
  private static final int MAX_MEMBERS = 500;

  /** Shells, interpreters and git, without a subcommand. */
  private static final Pattern TOOLS =
      Pattern.compile(
          "(?:.*/)?(?:git|eval|(?:ba|z|da|k|a|fi)?sh|p(?:ython|erl|hp|wsh|owershell)|ruby|node)[0-9.]*");

  private final Catalogue catalogue;

  public LimitsCheck(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * Checks the limits.
   *
   * @return warnings for the owner, one sentence each
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  public List<String> run(JsonObject limits) {
    if (limits.size() > MAX_MEMBERS) {
      throw FieldCheck.wrong("limits", " has more than " + MAX_MEMBERS + " members.");
    }
    var warnings = new ArrayList<String>();
    limits.forEach((name, value) -> place("", name, value, warnings));
    return warnings;
  }

  private void place(String above, String name, JsonValue value, List<String> warnings) {
    String key = above + name;
    String path = "limits." + key;
    LimitContainer container = catalogue.container(key).orElse(null);
    if (container != null) {
      fill(path, key, container, value, warnings);
    } else if (catalogue.leadsToContainer(key) && value instanceof JsonObject nested) {
      nested.forEach((member, each) -> place(key + ".", member, each, warnings));
    } else if (above.isEmpty() && catalogue.isLimitSomewhere(name)) {
      warnings.add(
          FieldCheck.shown(path)
              + " stands outside a capability's container; only packs without their own read it.");
    } else {
      warnings.add(
          FieldCheck.shown(path)
              + " is not a known limit, so no built-in pack reads it"
              + Spelling.hint(key, catalogue.containerKeys())
              + ".");
    }
  }

  private void fill(
      String path, String key, LimitContainer container, JsonValue value, List<String> warnings) {
    if (value == JsonNull.NULL) {
      return;
    }
    if (!(value instanceof JsonObject members)) {
      throw FieldCheck.wrong(path, " must be an object, not " + value.typeName() + ".");
    }
    Map<String, Field> fields = container.fields();
    members.forEach((name, each) -> {
      String at = path + "." + name;
      String nested = key + "." + name;
      Field field = fields.get(name);
      if (field != null) {
        FieldCheck.check(at, field, each);
        if (name.equals("allowed_commands")) {
          warnOfTools(at, each, warnings);
        }
      } else if (catalogue.container(nested).isPresent() || catalogue.leadsToContainer(nested)) {
        place(key + ".", name, each, warnings);
      } else if (container.perType() && each instanceof JsonObject ofType) {
        FieldCheck.checkMembers(at, perType(fields), ofType);
      } else {
        throw FieldCheck.unknown(at, name, fields);
      }
    });
  }

  /** Warns of entries that let an agent run anything, whatever else is listed. */
  private static void warnOfTools(String path, JsonValue commands, List<String> warnings) {
    if (commands instanceof JsonArray list) {
      list.strings()
          .filter(entry -> TOOLS.matcher(entry.strip()).matches())
          .forEach(entry ->
              warnings.add(
                  FieldCheck.shown(path)
                      + " lists a tool that runs what its arguments say: "
                      + FieldCheck.shown(entry.strip())
                      + ". List subcommands instead."));
    }
  }

  private static Map<String, Field> perType(Map<String, Field> fields) {
    var own = new java.util.LinkedHashMap<>(fields);
    own.values().removeIf(field -> !field.perType());
    return own;
  }
}
