package dev.safeconduct.simulate.suggest;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * What unused privilege counts ({@code privilege.json}).
 *
 * @param period a capability is unused if nothing needed it for that long
 * @param far a cap is far above the use if it is more than so many times the busiest day
 * @param risks by capability
 * @param otherwise the risk of all others
 */
record PrivilegeWeights(
    Duration period,
    int far,
    Map<PrivilegeScore.Reason, Integer> reasons,
    Map<String, Risk> risks,
    Risk otherwise) {
  /** A class of capabilities; points are multiplied by its weight. */
  record Risk(String name, int weight) {}

  int points(PrivilegeScore.Reason reason) {
    return reasons.getOrDefault(reason, 0);
  }

  Risk of(String capability) {
    return risks.getOrDefault(capability, otherwise);
  }

  static PrivilegeWeights builtIn() {
    return read(ReleaseFile.read("privilege.json"));
  }

  private static PrivilegeWeights read(JsonObject file) {
    var risks = new HashMap<String, Risk>();
    var otherwise = new Risk("low", 1);
    JsonObject classes = file.object("risks").orElseThrow();
    for (String name : classes.names()) {
      JsonObject json = classes.object(name).orElseThrow();
      var risk = new Risk(name, whole(json, "weight"));
      JsonArray members = json.list("capabilities");
      members.texts().forEach(capability -> risks.put(capability, risk));
      otherwise = members.isEmpty() ? risk : otherwise;
    }
    var reasons = new EnumMap<PrivilegeScore.Reason, Integer>(PrivilegeScore.Reason.class);
    JsonObject points = file.object("points").orElseThrow();
    for (PrivilegeScore.Reason reason : PrivilegeScore.Reason.values()) {
      reasons.put(reason, whole(points, reason.wire()));
    }
    return new PrivilegeWeights(
        Duration.ofDays(whole(file, "period_days")),
        whole(file, "far"),
        Map.copyOf(reasons),
        Map.copyOf(risks),
        otherwise);
  }

  private static int whole(JsonObject json, String name) {
    if (json.get(name) instanceof JsonNumber(double number, _)) {
      return (int) number;
    }
    throw new IllegalStateException("privilege.json has no number " + name);
  }
}
