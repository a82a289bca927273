package dev.safeconduct.decision.message;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Params;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;

/** The channel must be in every channel list, of the limits and of the capability's params. */
final class ChannelRule {
  private ChannelRule() {}

  static Verdict check(Facts facts) {
    Limits limits = facts.limits();
    var lists = new ArrayList<Reading<List<String>>>();
    lists.add(limits.list(limits.firstPresent("channels_allowlist", "allowed_channels")));
    for (JsonObject params : facts.params()) {
      lists.add(Params.list(params, "channels_allowlist"));
    }
    String channel = facts.context().string("channel_id").orElse("");
    for (Reading<List<String>> list : lists) {
      switch (list) {
        case Reading.Absent<List<String>> _ -> {}
        case Reading.Malformed<List<String>> _ -> {
          return Verdict.fail("The passport's list of channels is not a list.");
        }
        case Reading.Present<List<String>>(List<String> entries) -> {
          if (!Folding.admits(entries, channel)) {
            return Verdict.fail("The channel " + Excerpt.of(channel) + " is not allowed.");
          }
        }
      }
    }
    return Verdict.pass();
  }
}
