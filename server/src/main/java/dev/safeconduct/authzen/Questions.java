package dev.safeconduct.authzen;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.SentSubject;
import dev.safeconduct.verify.VerifyRequest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Converts an evaluation to a verify request. */
final class Questions {
  private Questions() {}

  /** Returns the request for the pack. The caller's properties are sent, without the pack's. */
  static VerifyRequest of(AuthzenCaller asker, EvaluationRequest evaluation, PolicyPack pack) {
    Entity subject = evaluation.subject();
    Context context =
        pack.model().isPresent()
            ? new Context(entities(evaluation), Optional.empty())
            : merged(evaluation, pack);
    return new VerifyRequest(
        new VerifyRequest.Sender(
            asker.caller(),
            asker.caller() instanceof Caller.Admin ? Optional.of(asker.org()) : Optional.empty(),
            asker.requestId(),
            asker.clientAddress()),
        pack.id().value(),
        new VerifyRequest.Sent(
            List.of(),
            context.value(),
            context.fault(),
            Optional.of(
                new SentSubject(
                    subject.type(), subject.id(), subject.properties().orElse(JsonObject.EMPTY))),
            Optional.empty(),
            Optional.empty(),
            JsonObject.EMPTY),
        VerifyRequest.Options.NONE,
        Optional.empty(),
        Optional.empty());
  }

  private record Context(JsonObject value, Optional<String> fault) {}

  /**
   * Returns the context for a pack with a model. The request's own entities replace members of the
   * context with their names.
   */
  private static JsonObject entities(EvaluationRequest evaluation) {
    return evaluation.context().toBuilder()
        .put("subject", evaluation.subject().seen())
        .put("action", evaluation.action().seen())
        .put("resource", evaluation.resource().seen())
        .build();
  }

  /** Merges the properties. A member with conflicting values is a fault, so no value is hidden. */
  private static Context merged(EvaluationRequest evaluation, PolicyPack pack) {
    JsonObject.Builder all = evaluation.context().toBuilder();
    Optional<String> fault = Optional.empty();
    List<Optional<JsonObject>> further =
        List.of(evaluation.action().properties(), evaluation.resource().properties());
    for (Optional<JsonObject> properties : further) {
      JsonObject before = all.build();
      for (String name : properties.orElse(JsonObject.EMPTY).names()) {
        JsonValue value = properties.orElse(JsonObject.EMPTY).present(name);
        JsonValue there = before.present(name);
        if (value == null) {
          continue;
        }
        if (there == null) {
          all.put(name, value);
        } else if (!there.equals(value) && fault.isEmpty()) {
          fault =
              Optional.of(
                  "action.properties, resource.properties and context say different things of "
                      + name
                      + ".");
        }
      }
    }
    JsonObject context = all.build();
    return new Context(
        context, fault.or(() -> otherAgent(context, pack, evaluation.subject().id())));
  }

  /** Returns the fault of a context whose agent is not the subject. */
  private static Optional<String> otherAgent(JsonObject context, PolicyPack pack, String subject) {
    return Stream.concat(
            context.string("agent_id").stream(),
            EvaluatedContext.of(pack, context).agentIds().stream())
        .filter(id -> !AgentId.fold(id).equals(AgentId.fold(subject)))
        .findFirst()
        .map(_ -> "context.agent_id and subject.id name different agents.");
  }
}
