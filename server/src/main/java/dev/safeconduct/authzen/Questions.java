package dev.safeconduct.authzen;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.SentEntities;
import dev.safeconduct.verify.SentSubject;
import dev.safeconduct.verify.VerifyRequest;
import java.util.List;
import java.util.Optional;

/** Converts an evaluation to a verify request. */
final class Questions {
  private Questions() {}

  /** Returns the request for the pack. The caller's properties are sent, without the pack's. */
  static VerifyRequest of(AuthzenCaller asker, EvaluationRequest evaluation, PolicyPack pack) {
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
