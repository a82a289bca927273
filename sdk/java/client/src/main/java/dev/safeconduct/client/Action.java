package dev.safeconduct.client;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is about to do.
 *
 * @param agentId the agent that acts; null for the client's own ({@code SAFECONDUCT_AGENT_ID})
 * @param policy the policy that decides, for example {@code system.command.execute.v1}
 * @param context the action, in the members of the policy
 */
public record Action(@Nullable String agentId, String policy, Map<String, ?> context) {

  /**
   * Checks the members.
   *
   * @throws IllegalArgumentException if the policy is not the id of a policy
   */
  public Action {
    if (!Transport.isSegment(policy)) {
      throw new IllegalArgumentException("policy is not the id of a policy");
    }
    // Not Map.copyOf: a member can be null.
    context = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(context));
  }

  /** Returns an action of the agent. */
  public static Action of(@Nullable String agentId, String policy, Map<String, ?> context) {
    return new Action(agentId, policy, context);
  }

  /** Returns an action of the client's own agent. */
  public static Action of(String policy, Map<String, ?> context) {
    return new Action(null, policy, context);
  }
}
