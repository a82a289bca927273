package dev.safeconduct.hook;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.util.Locale;

/** How an agent reads the answer of its hook. An unknown member or a blank reason voids a deny. */
enum AnswerForm {
  /** Claude Code and VS Code: the decision is nested, and an empty object is no objection. */
  NESTED {
    @Override
    String text(String event, HookOutcome outcome) {
      return switch (outcome) {
        case HookOutcome.Allow(boolean approved) ->
            approved ? nested(event, "allow", APPROVED) : EMPTY_OBJECT;
        case HookOutcome.Ask(String reason) ->
            // The event means that the agent asks its user now.
            isPermissionRequest(event) ? EMPTY_OBJECT : nested(event, "ask", reason);
        case HookOutcome.Deny(String reason) -> nested(event, "deny", reason);
      };
    }
  },
  /** Codex: as Claude Code, but silence is no objection, and it cannot ask. */
  CODEX {
    @Override
    String text(String event, HookOutcome outcome) {
      return outcome instanceof HookOutcome.Deny(String reason)
          ? nested(event, "deny", reason)
          : "";
    }
  },
  /** Cursor: a flat permission, which is needed to go on too. */
  CURSOR {
    @Override
    String text(String event, HookOutcome outcome) {
      return switch (outcome) {
        case HookOutcome.Allow _ -> permission("allow");
        case HookOutcome.Ask(String reason) -> permission("ask", reason);
        case HookOutcome.Deny(String reason) -> permission("deny", reason);
      };
    }

    private static String permission(String permission) {
      return Json.text(JsonObject.of("permission", permission));
    }

    private static String permission(String permission, String reason) {
      return Json.text(
          JsonObject.builder()
              .put("permission", permission)
              .put("user_message", reason)
              .put("agent_message", reason)
              .build());
    }
  },
  /** Gemini CLI. */
  GEMINI {
    @Override
    String text(String event, HookOutcome outcome) {
      return outcome instanceof HookOutcome.Deny(String reason)
          ? decision("deny", reason)
          : EMPTY_OBJECT;
    }
  },
  /** GitHub Copilot: flat; silence is no objection. */
  COPILOT {
    @Override
    String text(String event, HookOutcome outcome) {
      boolean request = isPermissionRequest(event);
      return switch (outcome) {
        case HookOutcome.Allow(boolean approved) ->
            !approved ? "" : request ? behavior("allow", "") : flat("allow", APPROVED);
        case HookOutcome.Ask(String reason) -> request ? "" : flat("ask", reason);
        case HookOutcome.Deny(String reason) ->
            request ? behavior("deny", reason) : flat("deny", reason);
      };
    }

    private static String flat(String decision, String reason) {
      return Json.text(
          JsonObject.builder()
              .put("permissionDecision", decision)
              .put("permissionDecisionReason", reason)
              .build());
    }

    private static String behavior(String behavior, String message) {
      return Json.text(consent(behavior, message));
    }
  },
  /** Goose: silence is no objection; an empty object would be no decision. */
  GOOSE {
    @Override
    String text(String event, HookOutcome outcome) {
      return outcome instanceof HookOutcome.Deny(String reason) ? decision("block", reason) : "";
    }
  },
  /** Windsurf, Kiro and Amazon Q: the exit status decides, and the reason is on stderr. */
  STDERR {
    @Override
    String text(String event, HookOutcome outcome) {
      return outcome instanceof HookOutcome.Deny(String reason) ? reason : "";
    }
  },
  /** An agent that is not known, by a wrong name in its settings: denies in all forms at once. */
  ANY {
    @Override
    String text(String event, HookOutcome outcome) {
      return outcome instanceof HookOutcome.Deny(String reason)
          ? Json.text(
              JsonObject.builder()
                  .put("decision", "block")
                  .put("reason", reason)
                  .put("permission", "deny")
                  .put("permissionDecision", "deny")
                  .put("permissionDecisionReason", reason)
                  .put("hookSpecificOutput", specific(event, "deny", reason))
                  .build())
          : "";
    }
  };

  private static final String EMPTY_OBJECT = "{}";
  private static final String APPROVED = "Allowed and approved by the passport's owner.";

  /** Returns what the agent reads. */
  abstract String text(String event, HookOutcome outcome);

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
