package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.rpc.Message;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests and notifications that the gateway and the server could understand differently. */
final class RequestFaults {
  /** Members of parameters that are checked, in any method. */
  private static final Set<String> CHECKED =
      Set.of(
          "_meta",
          "name",
          "arguments",
          "uri",
          "ref",
          "argument",
          "task",
          "taskId",
          "cursor",
          "notifications",
          "inputResponses",
          "requestState",
          "requestId");

  private static final String SUBSCRIPTIONS = "resourceSubscriptions";

  private RequestFaults() {}

  /** Returns what is wrong; null if nothing is. */
  static @Nullable String of(Message request) {
    Map<String, @Nullable Object> params = request.params();
    for (String name : params.keySet()) {
      if (!CHECKED.contains(name) && CHECKED.stream().anyMatch(name::equalsIgnoreCase)) {
        return "params has a member that differs from one of the protocol only in its case.";
      }
    }
    // The environment of a program has such names; the arguments of a tool do not.
    Set<String> spellings = new HashSet<>();
    for (String name : Message.objectOrEmpty(params.get("arguments")).keySet()) {
      if (!spellings.add(name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT))) {
        return "Two arguments differ only in their case.";
      }
    }
    for (String name : Message.objectOrEmpty(params.get("notifications")).keySet()) {
      if (!name.equals(SUBSCRIPTIONS) && name.equalsIgnoreCase(SUBSCRIPTIONS)) {
        return SUBSCRIPTIONS + " is spelled in another case.";
      }
    }
    Object meta = params.get("_meta");
    if (params.containsKey("_meta") && !(meta instanceof Map)) {
      return "_meta is not an object.";
    }
    Object token = request.meta().get("progressToken");
    boolean isToken =
        token instanceof String
            || token instanceof Integer
            || token instanceof Long
            || token instanceof BigInteger;
    return request.meta().containsKey("progressToken") && !isToken
        ? "progressToken is not a string or an integer."
        : null;
  }
}
