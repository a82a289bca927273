package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.SentEntities;
import dev.safeconduct.verify.SentSubject;
import dev.safeconduct.verify.VerifyRequest;
import java.util.List;
import java.util.Optional;

/**
 * An access evaluation request: subject, action, resource and context (AuthZEN section 6.1).
 *
 * @param context the environment, as sent
 */
record EvaluationRequest(Entity subject, Action action, Entity resource, JsonObject context) {
  /**
   * Reads the four members of a request; others are ignored (section 10.1.1).
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the member that is missing or of the
   *     wrong type
   */
  static EvaluationRequest read(JsonObject body) {
    return new EvaluationRequest(
        entity(body, "subject"), action(body), entity(body, "resource"), context(body));
  }

  static Entity entity(JsonObject body, String name) {
    Members entity = required(body, name);
    return new Entity(text(entity, "type"), text(entity, "id"), object(entity, "properties"));
  }

  /** Returns the type of the searched entity. Other members are ignored. */
  static String type(JsonObject body, String name) {
    return text(required(body, name), "type");
  }

  static Action action(JsonObject body) {
    Members action = required(body, "action");
    return new Action(text(action, "name"), object(action, "properties"));
  }

  static JsonObject context(JsonObject body) {
    return object(Members.of(body), "context").orElse(JsonObject.EMPTY);
  }

  private static Members required(JsonObject body, String name) {
    Members all = Members.of(body);
    return all.requiredMembers(name);
  }

  private static String text(Members from, String name) {
    return from.requiredText(name);
  }

  private static Optional<JsonObject> object(Members from, String name) {
    return from.members(name).map(Members::object);
  }

  /** Returns the request for the pack. The caller's properties are sent, without the pack's. */
  static VerifyRequest question(
      AuthzenCaller asker, EvaluationRequest evaluation, PolicyPack pack) {
    var entities =
        new SentEntities(
            evaluation.subject().seen(),
            evaluation.action().seen(),
            evaluation.resource().seen(),
            evaluation.context());
    SentEntities.Form form = entities.form(pack);
    return new VerifyRequest(
        new VerifyRequest.Sender(
            asker.caller(),
            asker.caller() instanceof Caller.Admin ? Optional.of(asker.org()) : Optional.empty(),
            asker.requestId(),
            asker.clientAddress()),
        pack.id().value(),
        new VerifyRequest.Sent(
            List.of(),
            form.context(),
            form.fault(),
            SentSubject.of(entities),
            Optional.empty(),
            Optional.empty(),
            JsonObject.EMPTY),
        VerifyRequest.Options.NONE,
        Optional.empty(),
        Optional.empty());
  }
}
