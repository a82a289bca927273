package dev.safeconduct.gateway.relay;

import dev.safeconduct.gateway.policy.CallDecision;
import dev.safeconduct.gateway.policy.Denials;
import dev.safeconduct.gateway.rpc.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the gateway changes in a server's responses. Errors stay as they are. */
final class Answers {
  private Answers() {}

  /** Returns the answer without decisions in {@code _meta}: the server cannot name any. */
  static Message withoutDecisions(Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      return answer;
    }
    var meta =
        new LinkedHashMap<String, @Nullable Object>(Message.objectOrEmpty(result.get("_meta")));
    return meta.keySet().removeIf(name -> name.startsWith(Denials.PREFIX))
        ? withMember(answer, result, "_meta", meta)
        : answer;
  }

  /** Returns the answer with the ids of the decisions in {@code _meta}. */
  static Message withDecision(Message answer, CallDecision.Allowed decided) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      return answer;
    }
    var meta =
        new LinkedHashMap<String, @Nullable Object>(Message.objectOrEmpty(result.get("_meta")));
    meta.put(Denials.DECISION_ID, decided.decisionId());
    if (!decided.mapped().isEmpty()) {
      var all = new ArrayList<String>(List.of(decided.decisionId()));
      all.addAll(decided.mapped());
      meta.put(Denials.DECISION_IDS, all);
    }
    return withMember(answer, result, "_meta", meta);
  }

  /** Returns the answer with those entries of a list that fit. */
  static Message keep(
      Message answer, String member, Predicate<Map<String, @Nullable Object>> fits) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null || !(result.get(member) instanceof List<?> list)) {
      return answer;
    }
    List<?> kept = list.stream().filter(item -> fits.test(Message.objectOrEmpty(item))).toList();
    return kept.size() == list.size() ? answer : withMember(answer, result, member, kept);
  }

  /** Returns the answer as one that only this client may use, and only now. */
  static Message notCached(Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null
        || !(result.containsKey("ttlMs") || result.containsKey("cacheScope"))
        || (Integer.valueOf(0).equals(result.get("ttlMs"))
            && "private".equals(result.get("cacheScope")))) {
      return answer;
    }
    var changed = new LinkedHashMap<String, @Nullable Object>(result);
    changed.put("ttlMs", 0);
    changed.put("cacheScope", "private");
    return answer.with("result", changed);
  }

  /** Returns the answer to a request for a list that has nothing for this client. */
  static Message empty(Message request, String member) {
    var result = new LinkedHashMap<String, @Nullable Object>();
    if (Denials.isStateless(request)) {
      result.put("resultType", "complete");
      result.put("ttlMs", 0);
      result.put("cacheScope", "private");
    }
    result.put(member, List.of());
    return Message.result(request.id(), result);
  }

  /** Returns the id of the task that an answer names. */
  static Optional<String> taskId(Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      return Optional.empty();
    }
    Object id = Message.objectOrEmpty(result.get("task")).get("taskId");
    return (id == null ? result.get("taskId") : id) instanceof String text
        ? Optional.of(text)
        : Optional.empty();
  }

  private static Message withMember(
      Message answer, Map<String, @Nullable Object> result, String member, Object value) {
    var changed = new LinkedHashMap<String, @Nullable Object>(result);
    changed.put(member, value);
    return answer.with("result", changed);
  }
}
