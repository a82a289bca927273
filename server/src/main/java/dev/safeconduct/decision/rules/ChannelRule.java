package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Params;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;

/** The channel must be in every channel list, of the limits and of the capability's params. */
final class ChannelRule {
  private ChannelRule() {}

  static RuleResult check(Facts facts) {
    Limits limits = facts.limits();
    var lists = new ArrayList<Reading<List<String>>>();
    lists.add(limits.list(limits.firstPresent("channels_allowlist", "allowed_channels")));
    for (JsonObject params : facts.params()) {
      lists.add(Params.list(params, "channels_allowlist"));
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
