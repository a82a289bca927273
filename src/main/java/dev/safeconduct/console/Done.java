package dev.safeconduct.console;

import java.util.Locale;
import java.util.Optional;

/** What a form did, said on the page it leads to. Addresses carry the name, never the sentence. */
enum Done {
  SUSPENDED("Suspended. Every further question of this agent is denied."),
  ACTIVATED("Active again. The agent is judged by its policies."),
  REVOKED("Revoked for good. This passport never acts again."),
  CREATED("The passport is issued. The agent can be judged from now on."),
  SAVED("Saved. The next decision is judged by it."),
  INSTANCE_MADE("The instance is made. It may do what its template may, or less."),
  KEY_REVOKED("The key is revoked. Whoever uses it is turned away."),
  WEBHOOK_ADDED("The receiver is told of status changes from now on."),
  WEBHOOK_CHANGED("The receiver is changed."),
  WEBHOOK_REMOVED("The receiver is removed and told no more."),
  RESENT("Sent again, and it arrived."),
  RESENT_FAILED("Sent again, and it failed again; see the delivery."),
  MEMBER_ADDED("They are a member now; a letter tells them."),
  MEMBER_CHANGED("Their role is changed; their sessions obey it at once."),
  MEMBER_REMOVED("They are no longer a member, and their sessions here have ended."),
  ORG_CREATED("The organization is made. You can give it keys and people."),
  APPROVED("Approved, for this one action. The agent may ask once more and go ahead."),
  REFUSED("Refused. The agent stays denied."),
  POLICY_SAVED("The version is kept. It decides nothing before you activate it."),
  POLICY_ACTIVE("The version is in force."),
  POLICY_DEPRECATED("The policy is marked as outgoing."),
  SHADOWED("The version is tried beside the one in force; differences are noted."),
  SHADOW_ENDED("The trial has ended."),
  EXPORT_REMOVED("The export is removed, with its files."),
  MOVED("You act in this organization now."),
  PASSWORD_SENT("If there is such an account, a letter is on its way to it.");

  private final String sentence;

  Done(String sentence) {
    this.sentence = sentence;
  }

  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<String> text(String code) {
    for (Done done : values()) {
      if (done.code().equals(code)) {
        return Optional.of(done.sentence);
      }
    }
    return Optional.empty();
  }
}
