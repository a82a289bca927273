package dev.safeconduct.verify;

import dev.safeconduct.decision.Check;
import dev.safeconduct.decision.Looked;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.DenyCodes;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackShelf;
import java.util.List;
import java.util.Optional;

/**
 * The pack a request is judged by.
 *
 * @param hosted whether it is one of ours; else it came with the request
 * @param faults why it cannot be used, if it cannot: then the decision is a deny
 * @param owner the organization whose own pack it is, if it is not everybody's
 * @param trial the version that is tried beside it
 */
record JudgedPack(
    PolicyPack pack,
    boolean hosted,
    List<String> faults,
    Optional<OrgId> owner,
    Optional<PackShelf.Trial> trial) {
  JudgedPack {
    faults = List.copyOf(faults);
  }

  /** One of everybody's packs, or one that came with the request. */
  static JudgedPack of(PolicyPack pack, boolean hosted, List<String> faults) {
    return new JudgedPack(pack, hosted, faults, Optional.empty(), Optional.empty());
  }

  /** An organization's own. */
  static JudgedPack of(PackShelf.Shelved shelved) {
    return new JudgedPack(
        shelved.pack(), true, shelved.faults(), Optional.of(shelved.org()), shelved.shadow());
  }

  /** What comes of every action when it cannot be used. */
  Outcome denied() {
    JsonObject named = JsonObject.builder().put("faults", JsonArray.ofStrings(faults)).build();
    return new Outcome.Deny(
        new Reason(Reason.POLICY_ERROR, refusal(), Optional.empty()),
        List.of(),
        List.of(new Check("policy", false, Looked.NOTHING, Looked.all(named))));
  }

  /** Why it cannot be used, in one sentence. */
  String refusal() {
    return hosted ? faults.getFirst() : "The policy does not compile: " + faults.getFirst();
  }

  /** What the subject's counters under this pack are kept under. */
  List<String> stateScope(Subject subject, String agentId) {
    return List.of(subject.source(), subject.org().value(), agentId, source(), pack.id().value());
  }

  /** How decisions by it are counted, in a bounded number of names. */
  String label() {
    return !hosted ? "in_body" : owner.isPresent() ? "own" : pack.id().value();
  }

  /** How decisions for the reason are counted. */
  String label(Reason reason) {
    return (hosted && owner.isEmpty()) || DenyCodes.isCommon(reason.code()) ? reason.code() : "own";
  }

  /** {@code policy_source} as decisions spell it. */
  String source() {
    return hosted ? "registry" : "request";
  }
}
