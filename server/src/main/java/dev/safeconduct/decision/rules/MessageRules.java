package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.Readings;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules for a message: its recipients and their number, its channel, and whom it mentions. */
final class MessageRules {
  private static final List<String> WORDS = List.of("everyone", "here", "channel", "all");
  private static final List<String> AT_WORDS = WORDS.stream().map(word -> "@" + word).toList();
  private static final List<String> MARKUP = List.of("<!everyone", "<!here", "<!channel");

  private static final JsonValue LIMITED = new JsonString("limited");
  private static final JsonValue ALL = new JsonString("all");

  private static final String ANYONE = "*";

  private MessageRules() {}

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

  /** Whether a message may mention people, or a whole group at once. */
  static RuleResult mentions(Facts facts) {
    List<JsonValue> policies = policies(facts);
    if (policies.stream().allMatch(ALL::equals)) {
      return RuleResult.pass();
    }
    List<String> mentions = facts.context().list("mentions").strings().toList();
    if (!mentions.isEmpty()
        && policies.stream().anyMatch(policy -> !policy.equals(ALL) && !policy.equals(LIMITED))) {
      return RuleResult.fail("Mentions are not allowed.");
    }
    if (mentionsGroup(facts.context().text("message"))
        || mentions.stream().anyMatch(MessageRules::meansGroup)) {
      return RuleResult.fail("Mentions of a whole group are not allowed.");
    }
    return RuleResult.pass();
  }

  /** Returns every policy that is set, of any type, or the limited policy if none is set. */
  private static List<JsonValue> policies(Facts facts) {
    var policies = new ArrayList<JsonValue>();
    add(policies, facts.limits().get("mention_policy"));
    for (JsonObject params : facts.params()) {
      add(policies, params.present("mention_policy"));
    }
    return policies.isEmpty() ? List.of(LIMITED) : policies;
  }

  private static void add(List<JsonValue> policies, @Nullable JsonValue policy) {
    if (policy != null) {
      policies.add(policy);
    }
  }

  /** Whether a text contains a group mention. */
  static boolean mentionsGroup(String text) {
    return standsIn(Folding.fold(text));
  }

  /** Whether an entry of the list of mentions contains one, or is one of the bare words. */
  static boolean meansGroup(String mention) {
    String folded = Folding.fold(mention);
    return WORDS.contains(folded) || standsIn(folded);
  }

  private static boolean standsIn(String folded) {
    return MARKUP.stream().anyMatch(folded::contains)
        || AT_WORDS.stream().anyMatch(word -> standsAlone(folded, word));
  }

  private static boolean standsAlone(String text, String word) {
    for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      int end = at + word.length();
      if ((at == 0 || !isWordCharacter(text.charAt(at - 1)))
          && (end == text.length() || !isWordCharacter(text.charAt(end)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  /** The channel must be in every channel list, of the limits and of the capability's params. */
  static RuleResult channel(Facts facts) {
    Limits limits = facts.limits();
    var lists = new ArrayList<Reading<List<String>>>();
    lists.add(limits.list(limits.firstPresent("channels_allowlist", "allowed_channels")));
    for (JsonObject params : facts.params()) {
      lists.add(Readings.list(params, "channels_allowlist"));
    }
    String channel = facts.context().text("channel_id");
    for (Reading<List<String>> list : lists) {
      switch (list) {
        case Reading.Absent<List<String>> _ -> {}
        case Reading.Malformed<List<String>> _ -> {
          return RuleResult.fail("The passport's list of channels is not a list.");
        }
        case Reading.Present<List<String>>(List<String> entries) -> {
          if (!Folding.admits(entries, channel)) {
            return RuleResult.fail("The channel " + Excerpt.of(channel) + " is not allowed.");
          }
        }
      }
    }
    return RuleResult.pass();
  }
}
