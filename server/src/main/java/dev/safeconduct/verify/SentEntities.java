package dev.safeconduct.verify;

import dev.safeconduct.compat.Dialects;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import java.util.Optional;

/**
 * The entities and the context of an AuthZEN request. A pack with a model evaluates a context that
 * contains the entities. For any other pack, their properties are members of the context.
 */
public record SentEntities(
    JsonObject subject, JsonObject action, JsonObject resource, JsonObject context) {
  /**
   * A context for one pack.
   *
   * @param fault the reason why the pack cannot evaluate the request
   */
  public record Form(JsonObject context, Optional<String> fault) {}

  /** Returns the entities in the context of a pack with a model; empty if one is missing. */
  public static Optional<SentEntities> in(JsonObject context) {
    return AccessModel.CONTEXT.stream().allMatch(name -> context.object(name).isPresent())
        ? Optional.of(
            new SentEntities(
                context.object("subject").get(),
                context.object("action").get(),
                context.object("resource").get(),
                context.without("subject").without("action").without("resource")))
        : Optional.empty();
  }

  /** Returns the same request about the subject with the id. */
  SentEntities about(String subjectId) {
    var id = new JsonString(subjectId);
    return id.equals(subject.get("id"))
        ? this
        : new SentEntities(subject.with("id", id), action, resource, context);
  }

  /** Returns the context for the pack. */
  public Form form(PolicyPack pack) {
    // The entities replace members of the context with their names.
    return pack.model().isPresent()
        ? new Form(
            context.with("subject", subject).with("action", action).with("resource", resource),
            Optional.empty())
        : merged(pack);
  }

  /** Returns the context for a pack that may be the wrong one for the action, which is a fault. */
  public Form candidateForm(PolicyPack pack) {
    Form form = form(pack);
    return evaluates(pack)
        ? form
        : new Form(
            form.context(),
            Optional.of("The policy does not evaluate this action on this type of resource."));
  }

  private boolean evaluates(PolicyPack pack) {
    String name = action.text("name");
    String capability = Capabilities.canonical(name);
    return pack.id().value().equals(Dialects.policyId(name))
        || pack.model().filter(model -> model.covers(name, resource.text("type"))).isPresent()
        || pack.capabilities().stream().map(Capabilities::canonical).anyMatch(capability::equals);
  }

  /** Merges the properties. A member with conflicting values is a fault, so no value is hidden. */
  private Form merged(PolicyPack pack) {
    JsonObject all = context;
    Optional<String> fault = Optional.empty();
    for (JsonObject entity : List.of(action, resource)) {
      JsonObject properties = entity.child("properties");
      for (String name : properties.names()) {
        JsonValue value = properties.present(name);
        JsonValue there = all.present(name);
        if (value != null && there == null) {
          all = all.with(name, value);
        } else if (value != null && !value.equals(there) && fault.isEmpty()) {
          fault =
              Optional.of(
                  "action.properties, resource.properties and context have different values for "
                      + name
                      + ".");
        }
      }
    }
    JsonObject merged = all;
    return new Form(merged, fault.or(() -> otherAgent(merged, pack)));
  }

  /** Returns the fault of a context whose agent is not the subject. */
  private Optional<String> otherAgent(JsonObject merged, PolicyPack pack) {
    String subjectId = AgentId.fold(subject.text("id"));
    boolean other =
        merged.get("agent_id") instanceof JsonString(String id)
            && !AgentId.fold(id).equals(subjectId);
    for (String id : EvaluatedContext.of(pack, merged).agentIds()) {
      other |= !AgentId.fold(id).equals(subjectId);
    }
    return other
        ? Optional.of("context.agent_id and subject.id name different agents.")
        : Optional.empty();
  }
}
