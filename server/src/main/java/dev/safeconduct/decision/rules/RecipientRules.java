package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules for the recipients of a message and their number. */
final class RecipientRules {
  private static final String ANYONE = "*";

  private RecipientRules() {}

  static RuleResult allowed(Facts facts) {
    JsonValue limit = facts.limits().get("allowed_recipients");
    if (limit == null) {
      return RuleResult.pass();
    }
    if (!(limit instanceof JsonArray entries)) {
      return RuleResult.fail("The passport's allowed_recipients is not a list.");
    }
    if (entries.strings().anyMatch(ANYONE::equals)) {
      return RuleResult.pass();
    }
    Set<String> known = ids(entries);
    List<String> targets = targets(facts);
    if (targets.isEmpty()) {
      targets = List.of(facts.context().text("channel_id"));
    }
    for (String target : targets) {
      if (!known.contains(target)) {
        return RuleResult.fail("The recipient " + Excerpt.of(target) + " is not allowed.");
      }
    }
    return RuleResult.pass();
  }

  static RuleResult count(Facts facts) {
    int targets = targets(facts).size();
    if (targets == 0) {
      return RuleResult.pass();
    }
    var caps = new ArrayList<Reading<Double>>();
    caps.add(facts.limits().number("max_recipients"));
    for (JsonObject params : facts.params()) {
      caps.add(new Limits(params).number("max_recipients"));
    }
    for (Reading<Double> cap : caps) {
      switch (cap) {
        case Reading.Absent<Double> _ -> {}
        case Reading.Malformed<Double> _ -> {
          return RuleResult.fail("The passport's max_recipients is not a number.");
        }
        case Reading.Present<Double>(Double max) -> {
          if (targets > max) {
            return RuleResult.fail(
                "The message has "
                    + targets
                    + " recipients; at most "
                    + max.longValue()
                    + " are allowed.");
          }
        }
      }
    }
    return RuleResult.pass();
  }

  /** Returns the recipient and the recipients. A recipient named twice counts twice. */
  private static List<String> targets(Facts facts) {
    var targets = new ArrayList<String>();
    facts.context().string("recipient").ifPresent(targets::add);
    facts.context().array("recipients").ifPresent(given -> given.strings().forEach(targets::add));
    return targets;
  }

  /** Returns the ids of entries, which are texts or objects with an id. The empty text is no id. */
  private static Set<String> ids(JsonArray entries) {
    var ids = new HashSet<String>();
    for (JsonValue entry : entries) {
      if (entry instanceof JsonString(String text)) {
        ids.add(text);
      } else if (entry instanceof JsonObject object) {
        object.string("id").ifPresent(ids::add);
      }
    }
    ids.remove("");
    return ids;
  }
}
