package dev.safeconduct.passport.catalog;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.json.Spelling;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks a passport's {@code capabilities} against the catalogue and normalizes them. */
public final class CapabilitiesCheck {
  private static final int MAX_CAPABILITIES = 200;
  private static final Pattern ID = Pattern.compile("[a-z0-9_]+(\\.[a-z0-9_]+)*");
  private static final int MAX_ID = 128;

  private final Catalogue catalogue;
  private final Optional<Repeated> repeated;

  /** Combines the params of a capability that a request names twice. */
  @FunctionalInterface
  public interface Repeated {
    JsonObject params(String path, String id, JsonObject first, JsonObject again);
  }

  /** {@code repeated}: empty if a request must not name a capability twice. */
  public CapabilitiesCheck(Catalogue catalogue, Optional<Repeated> repeated) {
    this.catalogue = catalogue;
    this.repeated = repeated;
  }

  /**
   * Checks the list; a bare string is treated as an id.
   *
   * @param warnings receives warnings for the owner
   * @return every capability as {@code {id, params?}}
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid element
   */
  public JsonArray run(Members body, List<String> warnings) {
    JsonArray given = body.array("capabilities", MAX_CAPABILITIES).orElse(JsonArray.EMPTY);
    var capabilities = new LinkedHashMap<String, JsonValue>();
    for (int i = 0; i < given.size(); i++) {
      String path = "capabilities[" + i + "]";
      JsonObject capability = one(path, given.get(i), warnings);
      String id = capability.string("id").orElseThrow();
      JsonValue first = capabilities.get(id);
      capabilities.put(
          id,
          first instanceof JsonObject same
              ? combined(path, id, same, capability, warnings)
              : capability);
    }
    return new JsonArray(List.copyOf(capabilities.values()));
  }

  private JsonObject combined(
      String path, String id, JsonObject first, JsonObject again, List<String> warnings) {
    String rest = " names " + id + " a second time";
    Repeated params = repeated.orElseThrow(() -> FieldCheck.wrong(path + ".id", rest + "."));
    warnings.add(path + ".id" + rest + "; the narrower params of both are used.");
    JsonObject both =
        params.params(path + ".params", id, first.child("params"), again.child("params"));
    return both.isEmpty() ? first : first.with("params", both);
  }

  private JsonObject one(String path, JsonValue value, List<String> warnings) {
    if (value instanceof JsonString id) {
      return JsonObject.of("id", id(path, id.value(), warnings));
    }
    if (!(value instanceof JsonObject object)) {
      throw FieldCheck.wrong(path, " must be an object with an id, not " + value.typeName() + ".");
    }
    Members members = Members.at(path, object).only(Set.of("id", "params"));
    String id = id(path + ".id", members.requiredText("id"), warnings);
    JsonObject.Builder capability = JsonObject.builder().put("id", id);
    members
        .members("params")
        .ifPresent(params -> capability.put("params", params(id, params, warnings)));
    return capability.build();
  }

  private String id(String path, String id, List<String> warnings) {
    if (id.length() > MAX_ID || !ID.matcher(id).matches()) {
      throw FieldCheck.wrong(path, " must be a lower-case dotted id such as data.file.read.");
    }
    if (catalogue.capability(id).isEmpty()) {
      warnings.add(
          path
              + ": "
              + id
              + " is not a known capability, so no built-in pack evaluates it"
              + Spelling.hint(id, catalogue.capabilityIds())
              + ".");
    }
    return id;
  }

  private JsonObject params(String id, Members params, List<String> warnings) {
    var known = catalogue.capability(id).map(KnownCapability::params);
    params
        .object()
        .forEach((name, value) -> {
          String path = params.path(name);
          Field field = known.map(fields -> fields.get(name)).orElse(null);
          if (field != null) {
            FieldCheck.check(path, field, value);
          } else if (known.isPresent() && value != JsonNull.NULL) {
            warnings.add(
                path
                    + " is not a parameter any pack reads"
                    + Spelling.hint(name, known.get().keySet())
                    + ".");
          }
        });
    return params.object();
  }
}
