package dev.safeconduct.compat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lifts an action's fields from nested containers, which some clients send, to the level that the
 * pack expects. A lifted value that contradicts an existing value is a fault, so that a harmless
 * value cannot hide another one.
 */
public final class Dialects {
  private static final List<String> CONTAINERS =
      List.of("context", "params", "tool_params", "input");

  /** Old policy ids that clients still send. */
  private static final Map<String, String> OLD_POLICY_IDS =
      Map.of(
          "data.export.v1", "data.export.create.v1",
          "payments.refunds.v1", "finance.payment.refund.v1",
          "payments.refund.v1", "finance.payment.refund.v1",
          "refunds.v1", "finance.payment.refund.v1",
          "payments.charge.v1", "finance.payment.charge.v1",
          "repo.release.publish.v1", "code.release.publish.v1",
          "repo.merge.v1", "code.repository.merge.v1",
          "messaging.send.v1", "messaging.message.send.v1");

  /** A place in an error message; a caller may send names of any length. */
  private static final int LONGEST_PLACE = 100;

  private Dialects() {}

  /** Returns the pack's current id. */
  public static String policyId(String text) {
    return OLD_POLICY_IDS.getOrDefault(text, text);
  }

  /**
   * A context in the current form.
   *
   * @param lifted the source of each lifted member, for example {@code params.command}
   * @param fault the contradiction between values, or a number that cannot be evaluated or digested
   * @param agentIds the agent ids found in containers
   */
  public record Lifted(
      JsonObject context, List<String> lifted, Optional<String> fault, List<String> agentIds) {}

  /**
   * Lifts the members that the pack declares out of the containers it does not declare.
   *
   * @param declares whether the pack describes a context field of that name
   */
  public static Lifted lift(JsonObject context, Predicate<String> declares) {
    boolean nested = false;
    for (String name : CONTAINERS) {
      nested |= context.has(name) && !declares.test(name);
    }
    if (!nested) {
      return new Lifted(context, List.of(), overflow(context), List.of());
    }
    var result = context.toBuilder();
    var lifted = new ArrayList<String>();
    var agentIds = new ArrayList<String>();
    Optional<String> fault = Optional.empty();
    for (String container : CONTAINERS) {
      if (!context.has(container) || declares.test(container)) {
        continue;
      }
      Optional<JsonObject> inner;
      try {
        inner = open(context.present(container));
      } catch (JsonFault e) {
        fault =
            fault.or(() -> Optional.of(container + " holds JSON with a fault: " + e.getMessage()));
        continue;
      }
      if (inner.isEmpty()) {
        continue;
      }
      JsonValue agentId = inner.get().present("agent_id");
      if (agentId instanceof JsonString text) {
        agentIds.add(text.value());
      } else if (agentId != null && fault.isEmpty()) {
        fault = Optional.of(container + ".agent_id must be a string.");
      }
      for (String name : inner.get().names()) {
        JsonValue value = inner.get().present(name);
        if (value == null || !declares.test(name) || name.equals("agent_id")) {
          continue;
        }
        JsonValue there = result.present(name);
        if (there == null) {
          result.put(name, value);
          lifted.add(container + "." + name);
        } else if (!there.equals(value) && fault.isEmpty()) {
          fault = Optional.of(container + "." + name + " and " + name + " say different things.");
        }
      }
    }
    JsonObject evaluated = lifted.isEmpty() ? context : result.build();
    return new Lifted(evaluated, lifted, fault.or(() -> overflow(evaluated)), agentIds);
  }

  private static Optional<String> overflow(JsonObject evaluated) {
    return JsonOverflow.place(evaluated)
        .map(place ->
            (place.length() > LONGEST_PLACE ? "A value in the context" : place)
                + " is a number too large for a double; send it as a string.");
  }

  /**
   * Returns the object, or parses the object in a string.
   *
   * @throws JsonFault if the executor may parse the string differently
   */
  private static Optional<JsonObject> open(@Nullable JsonValue container) throws JsonFault {
    if (container instanceof JsonObject object) {
      return Optional.of(object);
    }
    if (container instanceof JsonString(String whole)
        && withoutByteOrderMark(whole).stripLeading().startsWith("{")) {
      try {
        return Json.parse(withoutByteOrderMark(whole)) instanceof JsonObject object
            ? Optional.of(object)
            : Optional.empty();
      } catch (JsonFault e) {
        if (e.isReadableElsewhere()) {
          throw e;
        }
        // The string is not an object but ordinary text, which no rule parses.
      }
    }
    return Optional.empty();
  }

  /** Returns the text without the mark that a parser may ignore (RFC 8259 section 8.1). */
  private static String withoutByteOrderMark(String text) {
    return text.startsWith("\ufeff") ? text.substring(1) : text;
  }
}
