package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says whether files manage an object, and what a person has changed since. */
final class ManagedByCode {
  private ManagedByCode() {}

  /** Returns the facts by their names; none if files do not manage the object. */
  static Map<String, String> facts(OpenPage page, String object) {
    var facts = new LinkedHashMap<String, String>();
    if (!page.may("GET", "/api/resources/x")) {
      return facts;
    }
    JsonObject answer =
        page.get("/api/resources/" + Formats.url(object) + "?org_id=" + Formats.url(page.org()));
    for (JsonObject label : answer.objects("managed")) {
      String owner = label.text("managed_by");
      facts.put(
          "Managed by code",
          (owner.isEmpty() ? "yes" : owner)
              + label.string("revision").map(commit -> ", revision " + commit).orElse(""));
      List<String> changed = label.texts("changed_by_hand").stream().map(Formats::words).toList();
      if (!changed.isEmpty()) {
        facts.put("Managed by code, changed by hand", String.join(", ", changed));
      }
    }
    return facts;
  }

  /** Returns the facts as one sentence; empty if files do not manage the object. */
  static String sentence(OpenPage page, String object) {
    List<String> parts =
        facts(page, object).entrySet().stream()
            .map(fact -> fact.getKey() + ": " + fact.getValue() + ".")
            .toList();
    return Formats.clip(String.join(" ", parts), 300);
  }
}
