package dev.safeconduct.authzen;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.verify.VerifyRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts an evaluation into the words of a verification. */
final class Questions {
  /** Members of the context that a pack with a model finds filled with the evaluation itself. */
  private static final List<String> ENTITIES = List.of("subject", "action", "resource");

  private Questions() {}

  /**
   * The requests to try in turn: the next one only where the subject of the one before is unknown.
   * A subject that the pack lists is judged as the pack vouches for it; any other as a hosted
   * passport; and where there is none, by what the caller says of it.
   */
  static List<VerifyRequest> of(Asker asker, Evaluation evaluation, Choice.Pack pack) {
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

  /** A subject's id is unique within its type only; too long ones are told apart by digest. */
  private static String scopedId(Entity subject) {
    String id = subject.type() + ":" + subject.id();
    return id.length() <= AgentId.MAX_LENGTH
        ? id
        : CanonicalJson.digest(JsonArray.ofStrings(List.of(subject.type(), subject.id())));
  }

  private record Context(JsonObject value, Optional<String> fault) {}

  private static Context entities(Evaluation evaluation, AccessModel model) {
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

  /** What all three say goes in; a member they do not agree on is a fault, so nothing hides. */
  private static Context merged(Evaluation evaluation) {
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
      Asker asker,
      Choice.Pack pack,
      String agentId,
      Context context,
      Optional<JsonObject> passport) {
    return new VerifyRequest(
        asker.caller(),
        pack.policyId(),
        List.of(agentId),
        context.value(),
        context.fault(),
        passport,
        Optional.empty(),
        Optional.empty(),
        JsonObject.EMPTY,
        asker.caller() instanceof Caller.Admin ? Optional.of(asker.org()) : Optional.empty(),
        false,
        false,
        false,
        asker.requestId(),
        asker.clientAddress());
  }
}
