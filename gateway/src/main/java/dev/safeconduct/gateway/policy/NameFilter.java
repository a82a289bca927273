package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.client.SafeconductException;
import dev.safeconduct.gateway.config.Mapping;
import dev.safeconduct.gateway.config.ServerConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds which tools a call could get. It asks the same questions as a call does, as dry runs, which
 * touch no counter. A list that it filters shows what a call decides, and allows nothing.
 */
public final class NameFilter {
  private static final String POLICY = "mcp.tool.execute.v1";
  private static final int MAX_BATCH = 100;

  /** Denies of the policy of MCP tools that come after its rules on names. */
  private static final Set<String> BEYOND_NAMES =
      Set.of(
          "oap.rate_limit_exceeded",
          "oap.timeout_exceeded",
          "oap.parameter_size_exceeded",
          "oap.approval_required");

  /** Denies of that policy by the names of server and tool. */
  private static final Set<String> BY_NAME =
      Set.of(
          "oap.server_not_allowed",
          "oap.invalid_server_url",
          "oap.tool_not_allowed",
          "oap.invalid_context");

  /** Denies of any policy that no arguments can change. */
  private static final Set<String> WHATEVER_ARGUMENTS =
      Set.of(
          "oap.passport_suspended",
          "oap.passport_expired",
          "oap.unknown_capability",
          "oap.assurance_insufficient",
          "oap.region_blocked",
          "oap.policy_error");

  private final Safeconduct service;
  private final ServerConfig server;
  private final Contexts contexts;

  /** Makes the context of a question about a tool. */
  @FunctionalInterface
  interface Contexts {
    Map<String, @Nullable Object> of(
        String session, String tool, Map<String, @Nullable Object> arguments);
  }

  NameFilter(Safeconduct service, ServerConfig server, Contexts contexts) {
    this.service = service;
    this.server = server;
    this.contexts = contexts;
  }

  private record Question(String tool, String policy, Map<String, @Nullable Object> body) {}

  /** Returns those of the tools that a call could get; empty if there is no decision. */
  public Optional<Set<String>> admitted(String agentId, String session, Collection<String> tools) {
    var questions = new ArrayList<Question>();
    for (String tool : new LinkedHashSet<>(tools)) {
      questions.add(question(agentId, tool, POLICY, contexts.of(session, tool, Map.of())));
      for (Mapping mapping : server.tools().getOrDefault(tool, List.of())) {
        questions.add(question(agentId, tool, mapping.policy(), Map.of()));
      }
    }
    var admitted = new LinkedHashSet<>(tools);
    for (int i = 0; i < questions.size(); i += MAX_BATCH) {
      List<Question> part = questions.subList(i, Math.min(i + MAX_BATCH, questions.size()));
      List<?> answers = ask(part);
      if (answers.size() != part.size()) {
        return Optional.empty();
      }
      for (int k = 0; k < part.size(); k++) {
        if (!admits(part.get(k).policy(), answers.get(k))) {
          admitted.remove(part.get(k).tool());
        }
      }
    }
    return Optional.of(admitted);
  }

  private static Question question(
      String agentId, String tool, String policy, Map<String, @Nullable Object> context) {
    var body = new LinkedHashMap<String, @Nullable Object>();
    body.put("policy_id", policy);
    body.put("agent_id", agentId);
    body.put("context", context);
    return new Question(tool, policy, body);
  }

  private List<?> ask(List<Question> questions) {
    try {
      Object answers =
          service
              .request(
                  "POST",
                  "/api/verify/batch?dry_run=true",
                  Map.of("evaluations", questions.stream().map(Question::body).toList()))
              .get("decisions");
      return answers instanceof List<?> list ? list : List.of();
    } catch (SafeconductException | IllegalArgumentException e) {
      return List.of();
    }
  }

  private static boolean admits(String policy, @Nullable Object answer) {
    if (!(answer instanceof Map<?, ?> decision)) {
      return false;
    }
    return Boolean.TRUE.equals(decision.get("allow"))
        || (decision.get("reasons") instanceof List<?> reasons
            && !reasons.isEmpty()
            && reasons.getFirst() instanceof Map<?, ?> reason
            && reason.get("code") instanceof String code
            && !isHidden(policy, code));
  }

  /** Whether a deny is about the tool's name alone. */
  static boolean isByName(String policy, String code) {
    return policy.equals(POLICY) && BY_NAME.contains(code);
  }

  private static boolean isHidden(String policy, String code) {
    return policy.equals(POLICY) ? !BEYOND_NAMES.contains(code) : WHATEVER_ARGUMENTS.contains(code);
  }
}
