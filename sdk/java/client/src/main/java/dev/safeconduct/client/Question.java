package dev.safeconduct.client;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the client sends to ask, and whether an answer is about that. */
final class Question {
  /** Members of these may be lifted by the service; the digest is then that of the result. */
  private static final Set<String> CONTAINERS = Set.of("context", "params", "tool_params", "input");

  private Question() {}

  /**
   * Returns whether a decision is about the question.
   *
   * @param digest that of the question's context
   */
  static boolean answers(
      Map<String, @Nullable Object> signed, Action question, String digest, CheckOptions options) {
    Object agent =
        question.agentId() == null ? question.context().get("agent_id") : question.agentId();
    boolean isRewritten =
        CONTAINERS.stream()
            .map(question.context()::get)
            .anyMatch(value -> value instanceof Map || value instanceof CharSequence);
    return question.policy().equals(signed.get("policy_id"))
        && Objects.equals(options.dryRun(), signed.get("dry_run"))
        && Stream.of("agent_id", "passport_id")
            .map(signed::get)
            .anyMatch(id ->
                id instanceof String text && bareId(text).equals(bareId(String.valueOf(agent))))
        && (isRewritten || digest.equals(signed.get("context_digest")));
  }

  /** Returns what the usual spellings of a UUID have in common; any other id in lower case. */
  private static String bareId(String id) {
    String lower = id.strip().toLowerCase(java.util.Locale.ROOT);
    String hex = (lower.startsWith("ap_") ? lower.substring(3) : lower).replace("-", "");
    return hex.matches("[0-9a-f]{32}") ? hex : lower;
  }

  static Map<String, Object> body(Action question, CheckOptions options) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("context", question.context());
    if (question.agentId() != null) {
      body.put("agent_id", question.agentId());
    }
    if (options.approvalId() != null) {
      body.put("approval_id", options.approvalId());
    }
    return body;
  }

  static String verifyPath(Action question, CheckOptions options) {
    String flags =
        (options.reserve() ? "&reserve=true" : "") + (options.dryRun() ? "&dry_run=true" : "");
    return "/api/verify/policy/"
        + Transport.segment(question.policy())
        + (flags.isEmpty() ? "" : "?" + flags.substring(1));
  }

  static String name(Action question, Map<String, Object> body) {
    return question.policy() + " " + HexFormat.of().formatHex(Canonical.sha256(Canonical.of(body)));
  }
}
