package dev.safeconduct.simulate;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.schema.SchemaNode;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The context of a recorded decision, for another evaluation. Records lack secrets and what the
 * pack did not declare, which matters only if the candidate reads it.
 *
 * @param context without the members that the candidate does not declare, if any are missing
 * @param missing why the context cannot be evaluated again
 */
public record RecordedContext(JsonObject context, Optional<String> missing) {
  private static final Set<String> CONTAINERS = Set.of("context", "params", "tool_params", "input");

  public static RecordedContext of(JsonObject recorded, Decision decision, PolicyPack pack) {
    return of(recorded, decision, pack, new PackReads(pack));
  }

  /** Returns the context for a pack; {@code reads}: what that pack looks at. */
  public static RecordedContext of(
      JsonObject recorded, Decision decision, PolicyPack pack, PackReads reads) {
    if (CanonicalJson.digest(recorded).equals(decision.contextDigest())) {
      return new RecordedContext(recorded, Optional.empty());
    }
    if (!Json.text(recorded).contains(Redaction.MARK)) {
      return unknown(recorded);
    }
    boolean samePack = decision.policy().digest().equals(pack.digest());
    SchemaNode schema = pack.contextSchema().sent();
    JsonObject context = recorded;
    for (String name : recorded.names()) {
      JsonValue value = recorded.get(name);
      if (value == null || !hasMark(value)) {
        continue;
      }
      if (name.equals(Redaction.REST) || (name.equals(Redaction.UNDECLARED) && !samePack)) {
        return unknown(recorded);
      }
      SchemaNode node = schema.member(name);
      JsonValue rest = node == null ? null : declared(value, node, reads);
      if (rest == null ? reads.reads(name) : hasMark(rest) && reads.reads(name)) {
        return new RecordedContext(
            recorded, Optional.of("redaction touched context." + name + ", which the pack reads"));
      }
      if (rest == null
          && !samePack
          && CONTAINERS.contains(name)
          && mayLift(value, recorded, schema)) {
        return new RecordedContext(
            recorded,
            Optional.of("context." + name + " is not recorded, and the pack may read its members"));
      }
      context = rest == null ? context.without(name) : context.with(name, rest);
    }
    return new RecordedContext(context, Optional.empty());
  }

  private static RecordedContext unknown(JsonObject recorded) {
    return new RecordedContext(
        recorded, Optional.of("redaction touched fields that are not known any more"));
  }

  private static boolean hasMark(JsonValue value) {
    return Json.text(value).contains(Redaction.MARK);
  }

  /**
   * Whether a container may have held a member that this pack declares and the recorded did not.
   */
  private static boolean mayLift(JsonValue container, JsonObject recorded, SchemaNode schema) {
    return !(container instanceof JsonObject members)
        || members.names().stream()
            .anyMatch(name -> schema.member(name) != null && !recorded.has(name));
  }

  /** Returns the value without members that neither schema nor rules name. */
  private static JsonValue declared(JsonValue value, @Nullable SchemaNode node, PackReads reads) {
    return switch (value) {
      case JsonObject object when node != null -> {
        JsonObject.Builder declared = JsonObject.builder();
        object.forEach((name, member) -> {
          SchemaNode inner = node.member(name);
          if (inner != null || reads.names(name)) {
            declared.put(name, declared(member, inner, reads));
          }
        });
        yield declared.build();
      }
      case JsonArray array when node != null ->
          new JsonArray(
              array.elements().stream()
                  .map(element -> declared(element, node.element(), reads))
                  .toList());
      default -> value;
    };
  }
}
