package dev.safeconduct.hook;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.util.Locale;

/** How an agent reads the answer of its hook. An unknown member or a blank reason voids a deny. */
enum AnswerForm {
  /** Claude Code and VS Code: the decision is nested, and an empty object is no objection. */
  NESTED,
  /** Codex: as Claude Code, but silence is no objection, and it cannot ask. */
  CODEX,
  /** Cursor: a flat permission, which is needed to go on too. */
  CURSOR,
  /** Gemini CLI. */
  GEMINI,
  /** GitHub Copilot: flat; silence is no objection. */
  COPILOT,
  /** Goose: silence is no objection; an empty object would be no decision. */
  GOOSE,
  /** Windsurf, Kiro and Amazon Q: the exit status decides, and the reason is on stderr. */
  STDERR,
  /** An agent that is not known, by a wrong name in its settings: denies in all forms at once. */
  ANY;

  private static final String EMPTY_OBJECT = "{}";
  private static final String APPROVED = "Allowed and approved by the passport's owner.";

  /** Returns what the agent reads. */
  String text(String event, HookOutcome outcome) {
    return switch (outcome) {
      case HookOutcome.Allow(boolean approved) -> allowed(event, approved);
      case HookOutcome.Ask(String reason) -> asking(event, reason);
      case HookOutcome.Deny(String reason) -> denied(event, reason);
    };
  }

  private String allowed(String event, boolean approved) {
    return switch (this) {
      case NESTED -> approved ? nested(event, "allow", APPROVED) : EMPTY_OBJECT;
      case CURSOR -> Json.text(JsonObject.of("permission", "allow"));
      case GEMINI -> EMPTY_OBJECT;
      case COPILOT -> approved ? flat(event, "allow", APPROVED) : "";
      case CODEX, GOOSE, STDERR, ANY -> "";
    };
  }

  private String asking(String event, String reason) {
    // The event of a permission request means that the agent asks its user now.
    boolean asksItself = isPermissionRequest(event);
    return switch (this) {
      case NESTED -> asksItself ? EMPTY_OBJECT : nested(event, "ask", reason);
      case CURSOR -> permission("ask", reason);
      case GEMINI -> EMPTY_OBJECT;
      case COPILOT -> asksItself ? "" : flat(event, "ask", reason);
      case CODEX, GOOSE, STDERR, ANY -> "";
    };
  }

  private String denied(String event, String reason) {
    return switch (this) {
      case NESTED, CODEX -> nested(event, "deny", reason);
      case CURSOR -> permission("deny", reason);
      case GEMINI -> decision("deny", reason);
      case COPILOT -> flat(event, "deny", reason);
      case GOOSE -> decision("block", reason);
      case STDERR -> reason;
      case ANY ->
          Json.text(
              JsonObject.builder()
                  .put("decision", "block")
                  .put("reason", reason)
                  .put("permission", "deny")
                  .put("permissionDecision", "deny")
                  .put("permissionDecisionReason", reason)
                  .put("hookSpecificOutput", specific(event, "deny", reason))
                  .build());
    };
  }

  private static String permission(String permission, String reason) {
    return Json.text(
        JsonObject.builder()
            .put("permission", permission)
            .put("user_message", reason)
            .put("agent_message", reason)
            .build());
  }

  private static String flat(String event, String decision, String reason) {
    return Json.text(
        isPermissionRequest(event)
            ? consent(decision, decision.equals("deny") ? reason : "")
            : JsonObject.builder()
                .put("permissionDecision", decision)
                .put("permissionDecisionReason", reason)
                .build());
  }

  private static boolean isPermissionRequest(String event) {
    return event.toLowerCase(Locale.ROOT).equals("permissionrequest");
  }

  private static String nested(String event, String decision, String reason) {
    return Json.text(JsonObject.of("hookSpecificOutput", specific(event, decision, reason)));
  }

  private static JsonObject specific(String event, String decision, String reason) {
    JsonObject.Builder output = JsonObject.builder();
    if (isPermissionRequest(event)) {
      output
          .put("hookEventName", event)
          .put("decision", consent(decision, decision.equals("deny") ? reason : ""));
    } else {
      output
          .put("hookEventName", "PreToolUse")
          .put("permissionDecision", decision)
          .put("permissionDecisionReason", reason);
    }
    return output.build();
  }

  private static JsonObject consent(String behavior, String message) {
    JsonObject.Builder consent = JsonObject.builder().put("behavior", behavior);
    return message.isEmpty() ? consent.build() : consent.put("message", message).build();
  }

  private static String decision(String decision, String reason) {
    return Json.text(JsonObject.builder().put("decision", decision).put("reason", reason).build());
  }
}
