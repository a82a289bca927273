package dev.safeconduct.policy;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * An instruction for the enforcement point in addition to the decision: an element of a pack's
 * {@code obligations}, or one of its {@code advice} sentences.
 *
 * @param onAllow whether it applies to an allow
 * @param onDeny whether it applies to a deny
 * @param document {@code id}, {@code type} and the members the type requires, as sent to callers
 */
public record Obligation(boolean onAllow, boolean onDeny, JsonObject document) {
  private static final String MEMBER = "obligations";

  /**
   * Returns the pack's obligations, then its advice; faults go to {@code faults} with their places.
   */
  public static List<Obligation> read(JsonObject document, Consumer<PolicyFault> faults) {
    var all = new ArrayList<Obligation>();
    var ids = new HashSet<String>();
    if (document.has(MEMBER) && document.array(MEMBER).isEmpty()) {
      faults.accept(PolicyFault.at(MEMBER, "must be an array of objects"));
    }
    int index = 0;
    for (JsonValue each : document.list(MEMBER)) {
      String place = MEMBER + "[" + index++ + "]";
      if (!(each instanceof JsonObject one)
          || one.string("id").isEmpty()
          || one.string("type").isEmpty()) {
        faults.accept(PolicyFault.at(place, "must be an object with an id and a type"));
        continue;
      }
      if (!ids.add(one.string("id").get())) {
        faults.accept(PolicyFault.at(place + ".id", "stands for two obligations"));
      }
      String when = one.has("on") ? one.text("on") : "allow";
      if (!List.of("allow", "deny", "always").contains(when)) {
        faults.accept(PolicyFault.at(place + ".on", "must be allow, deny or always"));
      }
      all.add(new Obligation(!when.equals("deny"), !when.equals("allow"), one.without("on")));
    }
    int number = 1;
    for (String advice : document.list("advice").texts()) {
      all.add(
          new Obligation(
              true,
              false,
              JsonObject.builder()
                  .put("id", "advice-" + number++)
                  .put("type", "advice")
                  .put("text", advice)
                  .build()));
    }
    return all;
  }
}
