package dev.safeconduct.shadow;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where the results of trials are kept. */
public interface Trials {
  /** A version of a pack that is or was tried. */
  record Subject(OrgId org, String policyId, int version) {}

  /** What is to be added for one subject. */
  record Result(Tally tally, List<JsonObject> differences) {}

  /** All that a trial has found. */
  record Found(Tally tally, long kept, long interruptedNodes) {}

  /** A kept difference and its place among those of its pack. */
  record Kept(long place, JsonObject body) {}

  /** Adds the results of a node; of a pack's differences only the latest 10,000 are kept. */
  void add(String node, Map<Subject, Result> results);

  /** Notes that the node has written all it counted. */
  void finished(String node);

  /** The version that was tried last and has results. */
  Optional<Integer> latest(OrgId org, PolicyId id);

  /**
   * What a trial has found.
   *
   * @param aliveSince a node that was last seen before then and has not finished was interrupted:
   *     what it counted last may be missing
   */
  Found found(Subject subject, Instant aliveSince);

  /** Kept differences, newest first, below {@code before}. */
  List<Kept> differences(Subject subject, long before, int limit);
}
