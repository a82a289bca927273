package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.Members;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import dev.safeconduct.webhook.delivery.RetryPolicy;
import dev.safeconduct.webhook.delivery.WebhookSecret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The requested settings of a webhook. An absent member is unchanged or has its default.
 *
 * @param retries, delay, timeout as in {@link RetryPolicy}
 */
record WebhookRequest(
    Optional<ReceiverUrl> url,
    Optional<WebhookSecret> secret,
    Optional<List<String>> events,
    Optional<Format> format,
    Optional<Target> target,
    Optional<Boolean> active,
    Optional<Integer> retries,
    Optional<Duration> delay,
    Optional<Duration> timeout) {
  /** The known members of a request. */
  static final Set<String> MEMBERS =
      Set.of(
          "url",
          "secret",
          "events",
          "format",
          "target",
          "target_id",
          "agent_id",
          "active",
          "retry_attempts",
          "retry_delay_ms",
          "timeout_ms",
          "org_id");

  private static final int MAX_EVENTS = 50;
  private static final int MAX_EVENT_NAME = 100;
  private static final String AGENT = "agent";
  private static final Set<String> ORGANIZATION = Set.of("organization", "org");

  /**
   * Whose status changes it is for.
   *
   * @param agent the only agent; empty for all of the organization's
   * @param organization the organization's id, where the request names it
   */
  record Target(Optional<AgentId> agent, Optional<String> organization) {}

  static WebhookRequest read(Members body) {
    return new WebhookRequest(
        body.text("url").map(text -> url(body, "url", text)),
        body.text("secret").map(text -> secret(body, "secret", text)),
        body.lines("events", MAX_EVENTS, MAX_EVENT_NAME),
        body.text("format")
            .map(text ->
                Format.parse(text)
                    .orElseThrow(
                        () -> body.fault("format", "format must be json, slack or teams."))),
        target(body),
        body.flag("active"),
        whole(body, "retry_attempts", 0, RetryPolicy.MAX_RETRIES).map(Long::intValue),
        whole(body, "retry_delay_ms", 0, RetryPolicy.MAX_WAIT.toMillis()).map(Duration::ofMillis),
        whole(body, "timeout_ms", 1, RetryPolicy.MAX_TIMEOUT.toMillis()).map(Duration::ofMillis));
  }

  static ReceiverUrl url(Members body, String name, String text) {
    return ReceiverUrl.parse(text)
        .orElseThrow(() -> body.fault(name, name + " " + ReceiverUrl.RULE + "."));
  }

  static WebhookSecret secret(Members body, String name, String text) {
    return WebhookSecret.parse(text)
        .orElseThrow(() -> body.fault(name, name + " " + WebhookSecret.RULE + "."));
  }

  private static Optional<Long> whole(Members body, String name, long min, long max) {
    OptionalLong number = body.whole(name, min, max);
    return number.isPresent() ? Optional.of(number.getAsLong()) : Optional.empty();
  }

  private static Optional<Target> target(Members body) {
    Optional<String> kind = body.text("target");
    Optional<String> id = body.text("target_id");
    Optional<String> agent = body.text("agent_id");
    if (kind.isEmpty() && id.isEmpty() && agent.isEmpty()) {
      return Optional.empty();
    }
    if (kind.filter(ORGANIZATION::contains).isPresent()) {
      if (agent.isPresent()) {
        throw body.fault("agent_id", "agent_id does not go with the target organization.");
      }
      return Optional.of(new Target(Optional.empty(), id));
    }
    if (kind.isPresent() && !kind.get().equals(AGENT)) {
      throw body.fault("target", "target must be agent or organization.");
    }
    AgentId named = agent(id.or(() -> agent).orElseThrow(() -> body.missing("target_id")));
    if (agent.isPresent() && !agent(agent.get()).equals(named)) {
      throw body.fault("agent_id", "agent_id and target_id name different agents.");
    }
    return Optional.of(new Target(Optional.of(named), Optional.empty()));
  }

  static AgentId agent(String text) {
    return AgentId.hosted(text).orElseThrow(() -> NotFoundProblems.passport(text));
  }
}
