package dev.safeconduct.decision.message;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** To whom a message may go, and to how many at once. */
final class RecipientRules {
  private static final String ANYONE = "*";

  private RecipientRules() {}

  static Verdict allowed(Facts facts) {
    JsonValue limit = facts.limits().get("allowed_recipients");
    if (limit == null) {
      return Verdict.pass();
    }
    if (!(limit instanceof JsonArray entries)) {
      return Verdict.fail("The passport's allowed_recipients is not a list.");
    }
    if (entries.strings().anyMatch(ANYONE::equals)) {
      return Verdict.pass();
    }
    Set<String> known = ids(entries);
    List<String> targets = targets(facts);
    if (targets.isEmpty()) {
      targets = List.of(facts.context().string("channel_id").orElse(""));
    }
    for (String target : targets) {
      if (!known.contains(target)) {
        return Verdict.fail("The recipient " + Excerpt.of(target) + " is not allowed.");
      }
    }
    return Verdict.pass();
  }

  static Verdict count(Facts facts) {
    int targets = targets(facts).size();
    if (targets == 0) {
      return Verdict.pass();
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
          return Verdict.fail("The passport's max_recipients is not a number.");
        }
        case Reading.Present<Double>(Double max) -> {
          if (targets > max) {
            return Verdict.fail(
                "The message has "
                    + targets
                    + " recipients; at most "
                    + max.longValue()
                    + " are allowed.");
          }
        }
      }
    }
    return Verdict.pass();
  }

  /** The recipient and the recipients; one named twice counts twice. */
  private static List<String> targets(Facts facts) {
    var targets = new ArrayList<String>();
    facts.context().string("recipient").ifPresent(targets::add);
    facts.context().array("recipients").ifPresent(given -> given.strings().forEach(targets::add));
    return targets;
  }

  /** Entries are texts or objects with an id; the empty text names nobody. */
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
