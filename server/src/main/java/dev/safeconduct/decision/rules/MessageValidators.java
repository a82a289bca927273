package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import java.util.Map;

/** The named validators of messaging.message.send.v1. */
public final class MessageValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateMessageChannel", ChannelRule::check,
          "validateMessageRecipients", RecipientRules::allowed,
          "validateMessageRecipientCount", RecipientRules::count,
          "validateMessageMentions", MentionRule::check);

  private MessageValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }
}
