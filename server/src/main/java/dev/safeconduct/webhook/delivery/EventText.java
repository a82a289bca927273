package dev.safeconduct.webhook.delivery;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.mail.Email;
import dev.safeconduct.text.Excerpt;

/**
 * An event in a sentence, for people. What an agent or another person wrote is inert: a chat must
 * not make a link, a mention or a second message of it.
 */
final class EventText {
  /** The label of the link to the console. */
  static final String LINK = "Open in Safeconduct";

  private static final int MOST = 200;

  private EventText() {}

  static String of(JsonObject payload) {
    String agent = "agent " + text(payload, "agent_id");
    EventType type =
        payload.string("event_type").flatMap(EventType::parse).orElse(EventType.STATUS_CHANGE);
    return switch (type) {
      case STATUS_CHANGE ->
          "The status of %s changed from %s to %s."
              .formatted(agent, text(payload, "previous_status"), text(payload, "status"));
      case APPROVAL_REQUESTED ->
          "The %s requests an action that a person must approve (policy %s)."
              .formatted(agent, text(payload, "policy_id"));
      case APPROVAL_DECIDED ->
          "An action of %s was %s (policy %s)."
              .formatted(agent, text(payload, "status"), text(payload, "policy_id"));
      case DENY_SPIKE ->
          "The " + agent + " was denied " + text(payload, "denials") + " times within 10 minutes.";
      case LIMIT_NEAR ->
          "The %s has used %s of %s of the limit %s (policy %s)."
              .formatted(
                  agent,
                  text(payload, "used"),
                  text(payload, "max"),
                  text(payload, "limit"),
                  text(payload, "policy_id"));
      case KEY_EXPIRING -> "The API key \"" + text(payload, "name") + "\" expires within 7 days.";
      case OBSERVE_MODE ->
          "Observe mode of %s %s; its time is over at %s."
              .formatted(
                  payload.has("agent_id")
                      ? "the " + agent
                      : "the organization " + text(payload, "org_id"),
                  text(payload, "state"),
                  text(payload, "until"));
      case ORGANIZATION_HALTED ->
          "The organization %s was %s%s."
              .formatted(
                  text(payload, "org_id"),
                  text(payload, "state"),
                  payload.has("reason") ? ": " + text(payload, "reason") : "");
    };
  }

  private static String text(JsonObject payload, String member) {
    String text =
        payload.get(member) instanceof JsonNumber number
            ? Json.text(number)
            : payload.string(member).orElse("unknown");
    // Besides the address signs that make links: what Markdown and mrkdwn make links of.
    String inert = Email.inert(text).replaceAll("[\\[\\]()*`~|\"]+", " ").strip();
    return Excerpt.clip(inert, MOST);
  }
}
