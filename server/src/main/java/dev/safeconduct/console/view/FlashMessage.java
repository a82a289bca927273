package dev.safeconduct.console.view;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The result of a form, shown on the next page. URLs carry the name, never the sentence. */
public enum FlashMessage {
  SUSPENDED("Suspended. Every further request of this agent is denied."),
  ACTIVATED("Activated. The agent can request decisions again."),
  REVOKED("Revoked permanently."),
  CREATED("Passport issued. The agent can request decisions now."),
  CREATED_NARROW("Passport issued. Set its limits: what no limit allows is denied."),
  SAVED("Saved. It applies from the next decision."),
  ASSURED("Assurance level set. It applies from the next decision."),
  INSTANCE_MADE("Instance created."),
  HALTED("Halted. Every request of the agents is denied."),
  APPROVAL_ASKED("An approval is open. The agent uses it when it repeats exactly this request."),
  STILL_HALTED("One halt ended. The agents stay stopped until every halt ends."),
  RESUMED("Resumed. The agents can act again."),
  OBSERVED("Observe mode began. Until it ends, what only limits deny is allowed and recorded."),
  ENFORCED("Observe mode ended. Every limit is enforced again."),
  KEY_CHANGED("Key changed. It applies from the next request."),
  TOKEN_REVOKED("Token revoked. Requests with it are rejected."),
  KEY_REVOKED("Key revoked. Requests with this key are rejected."),
  WEBHOOK_CHANGED("Endpoint changed."),
  WEBHOOK_REMOVED("Endpoint removed."),
  TEST_SENT("Test sent; the endpoint accepted it."),
  RESENT("Resent, and delivered."),
  RESENT_FAILED("Resent, and failed again; see the delivery."),
  MEMBER_ADDED(
      "Member added. The invitation email is sent, or in the outbox if there is no mail server."),
  PASSWORD_SET("Your password is set. You are signed out everywhere else."),
  MEMBER_CHANGED("Role changed. It applies to open sessions too."),
  MEMBER_REMOVED("Removed from the organization. Their sessions here have ended."),
  FACTOR_RESET("Second factor reset. The person's sessions have ended."),
  PASSKEY_ADDED("Passkey added."),
  PASSKEY_RENAMED("Passkey renamed."),
  PASSKEY_REMOVED("Passkey removed. Remove it from your device too."),
  CODE_USED("Signed in with a recovery code. It does not work again."),
  SIGN_IN_AGAIN("Too much time has passed. Sign in again."),
  SESSION_ENDED("Session ended."),
  SESSIONS_ENDED("All your other sessions have ended."),
  ORG_CREATED("Organization created."),
  ORG_RENAMED("Organization renamed."),
  ORG_DELETED("Organization deleted. Its passports and keys are revoked."),
  APPROVED("Approved for this one action. The agent can send the request again."),
  REFUSED("Refused. The action stays denied."),
  POLICY_SAVED("Version saved. It decides nothing until you activate it."),
  POLICY_ACTIVE("Version activated."),
  POLICY_DEPRECATED("Policy deprecated."),
  SHADOWED("Shadow run started. Differences from the active version are recorded."),
  SHADOW_ENDED("Shadow run ended."),
  EXPORT_REMOVED("Export removed."),
  MOVED("You now act in this organization."),
  PASSWORD_SENT("If the account exists, it gets an email with a link.");

  private final String sentence;

  FlashMessage(String sentence) {
    this.sentence = sentence;
  }

  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<String> text(String code) {
    return Stream.of(values())
        .filter(done -> done.code().equals(code))
        .findFirst()
        .map(done -> done.sentence);
  }
}
