package dev.safeconduct.policy;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.PolicyFault;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * What an enforcement point has to do beside what the decision says: an element of a pack's {@code
 * obligations}, or one of its sentences of {@code advice}.
 *
 * @param onAllow whether it goes with an allow
 * @param onDeny whether it goes with a deny
 * @param document {@code id}, {@code type} and what the type asks for, as callers get it
 */
public record Obligation(boolean onAllow, boolean onDeny, JsonObject document) {
  private static final String MEMBER = "obligations";

  /** The pack's obligations, then its advice; faults go to {@code faults} with their places. */
  public static List<Obligation> read(JsonObject document, Consumer<PolicyFault> faults) {
    var all = new ArrayList<Obligation>();
    var ids = new HashSet<String>();
    if (document.has(MEMBER) && document.array(MEMBER).isEmpty()) {
      faults.accept(PolicyFault.at(MEMBER, "must be an array of objects"));
    }
    int index = 0;
    for (JsonValue each : document.array(MEMBER).orElse(JsonArray.EMPTY)) {
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
      String when = one.has("on") ? one.string("on").orElse("") : "allow";
      if (!List.of("allow", "deny", "always").contains(when)) {
        faults.accept(PolicyFault.at(place + ".on", "must be allow, deny or always"));
      }
      all.add(new Obligation(!when.equals("deny"), !when.equals("allow"), one.without("on")));
    }
    int number = 1;
    for (String advice : document.array("advice").orElse(JsonArray.EMPTY).texts()) {
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
