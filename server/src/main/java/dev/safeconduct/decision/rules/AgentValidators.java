package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import java.util.Map;

/** The named validators of agent.session.create.v1 and agent.tool.register.v1. */
public final class AgentValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateResourceQuota", ResourceQuota::check,
          "validateToolNaming", ToolRules::naming,
          "validateToolCapabilities", ToolRules::capabilities);

  private AgentValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }
}
