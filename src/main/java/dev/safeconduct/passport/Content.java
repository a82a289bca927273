package dev.safeconduct.passport;

import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a request says about a passport's content, checked and in stored form.
 *
 * @param members the members to set, by name
 * @param removed the members the request takes away by null
 * @param warnings what the owner should know, one sentence each
 */
record Content(Map<String, JsonValue> members, Set<String> removed, List<String> warnings) {
  Content {
    members = Map.copyOf(members);
    removed = Set.copyOf(removed);
    warnings = List.copyOf(warnings);
  }
}
