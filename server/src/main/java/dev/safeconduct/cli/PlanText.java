package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Prints a plan for people: what is created, changed and removed, member by member. */
final class PlanText {
  private static final int MOST = 160;

  /** How much is shown of what is the same, before and after a difference. */
  private static final int NEAR = 40;

  private static final Map<String, String> SIGNS =
      Map.of("create", "+", "update", "~", "delete", "-", "unchanged", " ");

  private final PrintWriter out;

  PlanText(PrintWriter out) {
    this.out = out;
  }

  /** Prints the service's answer to a plan or an apply. */
  void print(JsonObject answer) {
    answer.objects("resources").forEach(this::resource);
    JsonObject summary = answer.child("summary");
    boolean applied = answer.isTrue("applied");
    String warned = number(summary, "warnings");
    line(
        "%s: %s %s, %s %s, %s %s, %s unchanged%s."
            .formatted(
                answer.isTrue("changed") ? (applied ? "Applied" : "Plan") : "No changes",
                number(summary, "create"),
                applied ? "created" : "to create",
                number(summary, "update"),
                applied ? "changed" : "to change",
                number(summary, "delete"),
                applied ? "removed" : "to remove",
                number(summary, "unchanged"),
                warned.equals("0") ? "" : "; " + warned + " with notes"));
    answer.string("apply_refused").ifPresent(why -> line("Apply would be refused: " + why));
    answer.object("effects").ifPresent(this::effects);
  }

  private void resource(JsonObject resource) {
    String action = resource.text("action");
    String name = resource.text("kind") + " " + resource.text("name");
    boolean unchanged = action.equals("unchanged");
    List<String> byHand = resource.texts("changed_by_hand");
    List<String> warnings = resource.texts("warnings");
    if (unchanged && byHand.isEmpty() && warnings.isEmpty()) {
      return;
    }
    line(SIGNS.getOrDefault(action, "?") + " " + name);
    if (!byHand.isEmpty()) {
      line("    changed by hand since the last apply: " + String.join(", ", byHand));
    }
    for (JsonObject change : resource.objects("changes")) {
      value(change.text("member"), orNull(change, "before"), orNull(change, "after"));
    }
    warnings.forEach(warning -> line("    note: " + warning));
  }

  private static JsonValue orNull(JsonObject from, String name) {
    return Optional.ofNullable(from.get(name)).orElse(JsonNull.NULL);
  }

  private void value(String path, JsonValue before, JsonValue after) {
    if (before.equals(after)) {
      return;
    }
    if (before instanceof JsonObject old && after instanceof JsonObject next) {
      var names = new TreeSet<>(old.names());
      names.addAll(next.names());
      for (String name : names) {
        value(path + "." + name, orNull(old, name), orNull(next, name));
      }
    } else if (before instanceof JsonArray old && after instanceof JsonArray next) {
      elements(path, old.elements(), next.elements());
    } else if (before == JsonNull.NULL) {
      line("    + " + path + ": " + Json.text(after));
    } else if (after == JsonNull.NULL) {
      line("    - " + path + ": " + Json.text(before));
    } else {
      String old = Json.text(before);
      String next = Json.text(after);
      List<Integer> letters = old.chars().boxed().toList();
      List<Integer> others = next.chars().boxed().toList();
      int start = UnifiedDiff.same(letters, others);
      int end = UnifiedDiff.sameAtEnd(letters, others, start);
      line("    ~ " + path + ": " + around(old, start, end) + " -> " + around(next, start, end));
    }
  }

  /** Prints what the middle has between the elements that both begin and end with. */
  private void elements(String path, List<JsonValue> old, List<JsonValue> next) {
    if (old.size() == next.size() && old.containsAll(next) && next.containsAll(old)) {
      line("    ~ " + path + ": the order has changed");
      for (int i = 0; i < next.size(); i++) {
        if (!old.get(i).equals(next.get(i))) {
          line("        [" + i + "] " + Json.text(next.get(i)));
        }
      }
      return;
    }
    int start = UnifiedDiff.same(old, next);
    int end = UnifiedDiff.sameAtEnd(old, next, start);
    for (int i = start; i < Math.max(old.size(), next.size()) - end; i++) {
      value(
          path + "[" + i + "]",
          i < old.size() - end ? old.get(i) : JsonNull.NULL,
          i < next.size() - end ? next.get(i) : JsonNull.NULL);
    }
  }

  private void effects(JsonObject effects) {
    if (effects.isEmpty()) {
      return;
    }
    line(
        "Effects: of %s decisions in the last 24 hours, %s would change (%s allowed would be denied, %s denied would be allowed)%s."
            .formatted(
                number(effects, "decisions"),
                number(effects, "flips"),
                number(effects, "would_deny"),
                number(effects, "would_allow"),
                number(effects, "unknown").equals("0")
                    ? ""
                    : "; %s cannot be evaluated again".formatted(number(effects, "unknown"))));
    effects.string("note").ifPresent(note -> line("  " + note));
  }

  private static String number(JsonObject from, String name) {
    return Optional.ofNullable(from.get(name)).map(Json::text).orElse("0");
  }

  /**
   * Returns the text; of a long one, what is the same in the other value is cut, and never what
   * differs: a reviewer must see all of it.
   */
  private static String around(String text, int start, int end) {
    int from = text.length() <= MOST ? 0 : Math.max(0, start - NEAR);
    int to =
        text.length() <= MOST ? text.length() : Math.min(text.length(), text.length() - end + NEAR);
    return (from > 0 ? "..." : "") + text.substring(from, to) + (to < text.length() ? "..." : "");
  }

  private void line(String text) {
    out.println(TextTable.plain(text));
  }
}
