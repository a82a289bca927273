package dev.safeconduct.console.view;

import dev.safeconduct.decision.CheckOrder;
import dev.safeconduct.decision.ReasonCode;

/** Labels for the codes of the API. */
public final class Labels {
  private Labels() {}

  /** Returns the meaning of a reason code. */
  public static String reason(String code) {
    return ReasonCode.parse(code)
        .map(ReasonCode::message)
        .orElseGet(() -> Formats.sentence(Formats.words(ReasonCode.withoutPrefix(code))));
  }

  /** Returns the label of a common check, worded as its condition. */
  public static String check(CheckOrder check) {
    return switch (check) {
      case PASSPORT_STATUS -> "The passport is active";
      case PASSPORT_EXPIRY -> "The passport has not expired";
      case CAPABILITY -> "The passport holds the capability";
      case ASSURANCE -> "The assurance level is high enough";
      case CONTEXT -> "The action is described properly";
      case MCP_COMPANIONS -> "The MCP servers and tools are on the passport";
      case RULES -> "The rules of the policy";
      case REGION -> "The region is on the passport";
      case APPROVAL -> "Nobody has to approve it first, or somebody has";
    };
  }

  /** Returns the label of a caller's name in the audit log. */
  public static String caller(String name) {
    int colon = name.indexOf(':');
    return switch (name) {
      case "admin" -> "the admin token";
      case "anonymous", "" -> "anonymous";
      case "service" -> "this service";
      default ->
          colon > 0 ? name.substring(0, colon) + " " + Formats.id(name.substring(colon + 1)) : name;
    };
  }
}
