package dev.safeconduct.passport.catalog;

import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The content members of a request, checked and in stored form.
 *
 * @param members the members to set, by name
 * @param removed the members that the request removes with null
 * @param warnings warnings for the owner, one sentence each
 */
public record Content(Map<String, JsonValue> members, Set<String> removed, List<String> warnings) {
  public Content {
    members = Map.copyOf(members);
    removed = Set.copyOf(removed);
    warnings = List.copyOf(warnings);
  }
}
