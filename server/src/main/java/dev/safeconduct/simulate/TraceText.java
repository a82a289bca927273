package dev.safeconduct.simulate;

import dev.safeconduct.decision.Check;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.List;

/** Formats an evaluation's checks as lines for people, followed by the compared values. */
public final class TraceText {
  private static final int LONGEST = 200;

  private TraceText() {}

  public static String of(Outcome outcome) {
    var text = new StringBuilder();
    for (Check check : outcome.trace()) {
      text.append(check.passed() ? "  pass  " : "  DENY  ").append(check.name());
      List<String> values = new ArrayList<>();
      add(values, "context.", check.context().picked());
      add(values, "limits.", check.limits().picked());
      add(values, "", check.further());
      if (!values.isEmpty()) {
        text.append("  (").append(String.join(", ", values)).append(')');
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static void add(List<String> values, String prefix, JsonObject from) {
    from.forEach((name, value) -> values.add(prefix + name + " = " + shown(value)));
  }

  private static String shown(JsonValue value) {
    String text = Json.text(value);
    return Excerpt.clip(text, LONGEST);
  }
}
