package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.Check;
import dev.safeconduct.decision.EvaluatedInputs;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import java.util.List;
import java.util.Optional;

/**
 * The pack that evaluates a request.
 *
 * @param source whether the pack is stored here or is part of the request
 * @param faults the reasons why it cannot be used; with any fault the decision is a deny
 * @param owner the organization that owns the pack; empty for a shared pack
 * @param trial the version in shadow evaluation
 */
public record JudgedPack(
    PolicyPack pack,
    Decision.Source source,
    List<String> faults,
    Optional<OrgId> owner,
    Optional<PackCache.ShadowVersion> trial) {
  public JudgedPack {
    faults = List.copyOf(faults);
  }

  /** Returns a shared pack or a pack from the request. */
  static JudgedPack of(PolicyPack pack, boolean hosted, List<String> faults) {
    return new JudgedPack(
        pack,
        hosted ? Decision.Source.REGISTRY : Decision.Source.REQUEST,
        faults,
        Optional.empty(),
        Optional.empty());
  }

  /** Returns an organization's own pack. */
  static JudgedPack of(PackCache.CachedPack shelved) {
    return new JudgedPack(
        shelved.pack(),
        Decision.Source.REGISTRY,
        shelved.faults(),
        Optional.of(shelved.org()),
        shelved.shadow());
  }

  public boolean isHosted() {
    return source == Decision.Source.REGISTRY;
  }

  /** Returns the deny for every action if the pack cannot be used. */
  Outcome denied() {
    JsonObject named = JsonObject.of("faults", JsonArray.ofStrings(faults));
    return Outcome.Deny.unchecked(
        Reason.of(ReasonCode.POLICY_ERROR, refusal()),
        List.of(new Check("policy", false, EvaluatedInputs.NOTHING, EvaluatedInputs.all(named))));
  }

  /** Returns the reason why the pack cannot be used, as one sentence. */
  String refusal() {
    return isHosted() ? faults.getFirst() : "The policy does not compile: " + faults.getFirst();
  }

  /** Returns the metric label of the pack, from a bounded set of names. */
  public String label() {
    return !isHosted() ? "in_body" : owner.isPresent() ? "own" : pack.id().value();
  }

  /** Returns the metric label of the reason. */
  public String label(Reason reason) {
    return (isHosted() && owner.isEmpty()) || ReasonCode.isInCatalogue(reason.code())
        ? reason.code()
        : "own";
  }
}
