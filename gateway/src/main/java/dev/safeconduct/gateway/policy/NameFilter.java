package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.client.SafeconductException;
import dev.safeconduct.gateway.config.Mapping;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.rpc.Message;
import java.time.Duration;
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
 *
 * <p>Each dry run is a record in the log of the service. So a list that was answered before is
 * asked for again by one question for each policy: if passport, policy and answer are still the
 * same, so are the other answers. What such a question cannot show is asked for again after a
 * minute.
 */
public final class NameFilter {
  private static final String POLICY = "mcp.tool.execute.v1";
  private static final int MAX_BATCH = 100;
  private static final int MAX_LISTS = 100;

  /** The most characters of names on a page that is remembered. */
  private static final int MAX_NAMES = 1 << 16;

  private static final long MAX_AGE_NANOS = Duration.ofMinutes(1).toNanos();

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
          "oap.organization_halted",
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

  private record Question(String tool, String policy) {}

  /** A page of tools that an agent asked for. */
  private record Page(String agentId, List<String> tools) {}

  /** A page that was answered: the questions that show whether the answer is still the same. */
  private record Known(Map<Question, Verdict> probes, List<String> admitted, long at) {}

  /**
   * What an answer says of a tool.
   *
   * @param code the deny that hides the tool; empty for a tool that is admitted
   */
  private record Verdict(String code, String passportDigest, String policyDigest) {
    boolean admits() {
      return code.isEmpty();
    }

    boolean sameInput(Verdict other) {
      return passportDigest.equals(other.passportDigest) && policyDigest.equals(other.policyDigest);
    }
  }

  private final Map<Page, Known> lists =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Page, Known> eldest) {
          return size() > MAX_LISTS;
        }
      };

  /** Returns those of the tools that a call could get; empty if there is no decision. */
  public Optional<Set<String>> admitted(String agentId, String session, Collection<String> tools) {
    var asked = new LinkedHashSet<>(tools);
    asked.removeIf(server::isOtherSpelling); // No decision could admit them.
    var page = new Page(agentId, List.copyOf(asked));
    Known known;
    synchronized (lists) {
      known = lists.get(page);
    }
    if (known != null && System.nanoTime() - known.at() < MAX_AGE_NANOS) {
      Optional<Map<Question, Verdict>> now =
          ask(agentId, session, List.copyOf(known.probes().keySet()));
      if (now.isEmpty()) {
        return Optional.empty();
      }
      if (now.get().equals(known.probes())) {
        return Optional.of(new LinkedHashSet<>(known.admitted()));
      }
    }
    return askAll(page, session);
  }

  private Optional<Set<String>> askAll(Page page, String session) {
    long at = System.nanoTime();
    var questions = new LinkedHashSet<Question>();
    for (String tool : page.tools()) {
      questions.add(new Question(tool, POLICY));
      for (Mapping mapping : server.tools().getOrDefault(tool, List.of())) {
        questions.add(new Question(tool, mapping.policy()));
      }
    }
    Optional<Map<Question, Verdict>> answers = ask(page.agentId(), session, List.copyOf(questions));
    if (answers.isEmpty()) {
      return Optional.empty();
    }
    var admitted = new LinkedHashSet<>(page.tools());
    var probes = new LinkedHashMap<String, Map.Entry<Question, Verdict>>();
    boolean isOneState = true;
    for (Map.Entry<Question, Verdict> answer : answers.get().entrySet()) {
      Verdict verdict = answer.getValue();
      if (!verdict.admits()) {
        admitted.remove(answer.getKey().tool());
      }
      Map.Entry<Question, Verdict> probe =
          probes.merge(
              answer.getKey().policy(),
              answer,
              (first, next) ->
                  !first.getValue().admits() && next.getValue().admits() ? next : first);
      isOneState &= probe.getValue().sameInput(verdict);
    }
    synchronized (lists) {
      lists.remove(page);
      // Not if the passport or a policy changed between two batches.
      if (isOneState && page.tools().stream().mapToInt(String::length).sum() <= MAX_NAMES) {
        var byQuestion = new LinkedHashMap<Question, Verdict>();
        probes.values().forEach(probe -> byQuestion.put(probe.getKey(), probe.getValue()));
        lists.put(page, new Known(byQuestion, List.copyOf(admitted), at));
      }
    }
    return Optional.of(admitted);
  }

  /** Returns what the service says to each question; empty if it does not answer all. */
  private Optional<Map<Question, Verdict>> ask(
      String agentId, String session, List<Question> questions) {
    var verdicts = new LinkedHashMap<Question, Verdict>();
    for (int i = 0; i < questions.size(); i += MAX_BATCH) {
      List<Question> part = questions.subList(i, Math.min(i + MAX_BATCH, questions.size()));
      List<?> answers = ask(part.stream().map(each -> body(agentId, session, each)).toList());
      if (answers.size() != part.size()) {
        return Optional.empty();
      }
      for (int k = 0; k < part.size(); k++) {
        verdicts.put(part.get(k), verdict(part.get(k).policy(), answers.get(k)));
      }
    }
    return Optional.of(verdicts);
  }

  private Map<String, @Nullable Object> body(String agentId, String session, Question question) {
    var body = new LinkedHashMap<String, @Nullable Object>();
    body.put("policy_id", question.policy());
    body.put("agent_id", agentId);
    body.put(
        "context",
        question.policy().equals(POLICY)
            ? contexts.of(session, question.tool(), Map.of())
            : Map.of());
    return body;
  }

  private List<?> ask(List<Map<String, @Nullable Object>> questions) {
    try {
      Object answers =
          service
              .request("POST", "/api/verify/batch?dry_run=true", Map.of("evaluations", questions))
              .get("decisions");
      return answers instanceof List<?> list ? list : List.of();
    } catch (SafeconductException | IllegalArgumentException e) {
      return List.of();
    }
  }

  /** An answer that is not a decision hides the tool. */
  private static Verdict verdict(String policy, @Nullable Object answer) {
    Map<String, @Nullable Object> decision = Message.objectOrEmpty(answer);
    String code = "no reason";
    if (Boolean.TRUE.equals(decision.get("allow"))) {
      code = "";
    } else if (decision.get("reasons") instanceof List<?> reasons && !reasons.isEmpty()) {
      code = String.valueOf(Message.objectOrEmpty(reasons.getFirst()).get("code"));
      code = isHidden(policy, code) ? code : "";
    }
    return new Verdict(
        code,
        String.valueOf(decision.get("passport_digest")),
        String.valueOf(decision.get("policy_digest")));
  }

  /** Whether a deny is about the tool's name alone. */
  static boolean isByName(String policy, String code) {
    return policy.equals(POLICY) && BY_NAME.contains(code);
  }

  private static boolean isHidden(String policy, String code) {
    return policy.equals(POLICY) ? !BEYOND_NAMES.contains(code) : WHATEVER_ARGUMENTS.contains(code);
  }
}
