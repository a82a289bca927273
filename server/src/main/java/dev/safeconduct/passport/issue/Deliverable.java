package dev.safeconduct.passport.issue;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.Slug;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The issuer's conditions that an agent must meet before it may report a task as done. */
final class Deliverable {
  static final String CAPABILITY = "deliverable.task.complete";

  private static final int MAX_CRITERIA = 100;
  private static final int MAX_PATTERNS = 200;
  private static final int MAX_WORDS = 10_000;
  private static final int DEFAULT_WORDS = 20;
  private static final List<String> FLAGS =
      List.of(
          "require_summary", "require_tests_passing", "require_different_reviewer", "scan_output");

  private Deliverable() {}

  /**
   * Returns the limits.
   *
   * @param preset the preset whose flags stay set
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member
   */
  static JsonObject limits(Members asked, JsonObject preset) {
    JsonObject.Builder limits = JsonObject.builder();
    for (String flag : FLAGS) {
      limits.put(flag, asked.flag(flag).orElse(false) || preset.isTrue(flag));
    }
    boolean scans = asked.flag("scan_output").orElse(false);
    List<String> patterns = asked.lines("blocked_patterns", MAX_PATTERNS, 500).orElse(List.of());
    return limits
        .put(
            "min_summary_words",
            asked.whole("min_summary_words", 0, MAX_WORDS).orElse(DEFAULT_WORDS))
        .put("blocked_patterns", scans ? JsonArray.ofStrings(patterns) : JsonArray.EMPTY)
        .put(
            "acceptance_criteria",
            criteria(asked.lines("acceptance_criteria", MAX_CRITERIA, 500).orElse(List.of())))
        .build();
  }

  /**
   * Returns criteria with ids derived from their text, so that an attestation can refer to them.
   */
  private static JsonArray criteria(List<String> texts) {
    var criteria = new ArrayList<JsonValue>();
    Set<String> ids = new HashSet<>();
    for (String text : texts) {
      String id = Slug.of(text).orElse("criterion-" + (criteria.size() + 1));
      if (!ids.add(id)) {
        id = id + "-" + (criteria.size() + 1);
        ids.add(id);
      }
      criteria.add(JsonObject.builder().put("id", id).put("description", text).build());
    }
    return new JsonArray(criteria);
  }
}
