package dev.safeconduct.authzen;

import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.verify.VerifyRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Converts an evaluation to verify requests. */
public final class Questions {
  /** Context members that hold the evaluation's entities for a pack with a model. */
  private static final List<String> ENTITIES = List.of("subject", "action", "resource");

  private Questions() {}

  /**
   * Returns the requests to try in order. The next request is tried only if the subject of the
   * previous one is unknown. A subject that the pack lists is evaluated with the pack's data. Any
   * other subject is evaluated as a hosted passport or, without one, with the caller's data.
   */
  static List<VerifyRequest> of(
      AuthzenCaller asker, EvaluationRequest evaluation, Choice.Pack pack) {
    Entity subject = evaluation.subject();
    Optional<AccessModel> model = pack.model();
    Context context = model.isPresent() ? entities(evaluation, model.get()) : merged(evaluation);
    if (context.value().present("agent_id") instanceof JsonString agent
        && !agent.value().equals(subject.id())) {
      throw Problem.invalid(
              "context.agent_id", "context.agent_id and subject.id name different agents.")
          .toException();
    }
    String scoped = scopedId(subject);
    if (model.flatMap(known -> known.subject(subject.type(), subject.id())).isPresent()) {
      return List.of(
          request(
              asker,
              pack,
              scoped,
              context,
              Optional.of(
                  JsonObject.builder()
                      .put("agent_id", scoped)
                      .put("status", "active")
                      .put("capabilities", JsonArray.ofStrings(pack.capabilities()))
                      .build())));
    }
    var requests = new ArrayList<VerifyRequest>();
    if (AgentId.hosted(subject.id()).isPresent()) {
      requests.add(request(asker, pack, subject.id(), context, Optional.empty()));
    }
    subject
        .properties()
        .filter(properties -> !properties.isEmpty())
        .ifPresent(properties -> {
          JsonObject.Builder passport = JsonObject.builder().put("status", "active");
          passport.putAll(properties.without("passport_id")).put("agent_id", scoped);
          requests.add(request(asker, pack, scoped, context, Optional.of(passport.build())));
        });
    return requests;
  }

  /** Returns an id with its type, because ids are unique per type. Long ids become digests. */
  private static String scopedId(Entity subject) {
    String id = subject.type() + ":" + subject.id();
    return id.length() <= AgentId.MAX_LENGTH
        ? id
        : CanonicalJson.digest(JsonArray.ofStrings(List.of(subject.type(), subject.id())));
  }

  private record Context(JsonObject value, Optional<String> fault) {}

  private static Context entities(EvaluationRequest evaluation, AccessModel model) {
    Entity subject = evaluation.subject();
    Entity resource = evaluation.resource();
    Optional<String> fault =
        ENTITIES.stream()
            .filter(evaluation.context()::has)
            .findFirst()
            .map(
                name -> "context." + name + " cannot stand beside the request's own " + name + ".");
    return new Context(
        evaluation.context().toBuilder()
            .put("subject", subject.seen(model.subject(subject.type(), subject.id())))
            .put("action", evaluation.action().seen())
            .put("resource", resource.seen(model.resource(resource.type(), resource.id())))
            .build(),
        fault);
  }

  /** Merges the properties. A member with conflicting values is a fault, so no value is hidden. */
  private static Context merged(EvaluationRequest evaluation) {
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
    return new Context(all.build(), fault);
  }

  private static VerifyRequest request(
      AuthzenCaller asker,
      Choice.Pack pack,
      String agentId,
      Context context,
      Optional<JsonObject> passport) {
    return new VerifyRequest(
        new VerifyRequest.Sender(
            asker.caller(),
            asker.caller() instanceof Caller.Admin ? Optional.of(asker.org()) : Optional.empty(),
            asker.requestId(),
            asker.clientAddress()),
        pack.policyId(),
        new VerifyRequest.Sent(
            List.of(agentId),
            context.value(),
            context.fault(),
            passport,
            Optional.empty(),
            JsonObject.EMPTY),
        VerifyRequest.Options.NONE,
        Optional.empty(),
        Optional.empty());
  }
}
