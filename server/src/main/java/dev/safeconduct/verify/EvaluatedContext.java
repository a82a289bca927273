package dev.safeconduct.verify;

import dev.safeconduct.compat.Dialects;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import java.util.Optional;

/**
 * A context as a pack evaluates it: with the dialects lifted and the pack's own properties of the
 * subject and the resource.
 *
 * @param lifted the sources of the members that dialects lifted
 * @param fault the contradiction between values, if there is one
 * @param agentIds the agent ids found in dialect containers
 * @param completed the evaluated context, and which properties of it are the pack's
 */
public record EvaluatedContext(
    List<String> lifted,
    Optional<String> fault,
    List<String> agentIds,
    AccessModel.Completed completed) {

  /** Returns the context for the pack; {@code sent} is the caller's. */
  public static EvaluatedContext of(PolicyPack pack, JsonObject sent) {
    Optional<AccessModel> model = pack.model();
    Dialects.Lifted lifted =
        Dialects.lift(
            sent,
            name ->
                pack.contextSchema().declares(name)
                    // The request's own entities contradict nothing in a container.
                    && !(model.isPresent()
                        && AccessModel.CONTEXT.contains(name)
                        && sent.has(name)));
    return new EvaluatedContext(
        lifted.lifted(),
        lifted.fault(),
        lifted.agentIds(),
        model
            .map(known -> known.complete(lifted.context()))
            .orElseGet(() -> AccessModel.Completed.unchanged(lifted.context())));
  }

  public JsonObject context() {
    return completed.context();
  }
}
