package dev.safeconduct.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Reply;
import java.util.Locale;
import java.util.Set;

/**
 * Reads an answer as the agent and its hook program do, by what is known of the agent and not by
 * what this service means: an answer that the agent would not take for an answer fails the test.
 */
final class AgentReading {
  /** What the agent does. */
  enum Effect {
    /** It goes on and asks its user as always. */
    ALLOW,
    /** It goes on without asking its user. */
    APPROVE,
    ASK,
    DENY
  }

  private static final Set<String> STDERR = Set.of("windsurf", "kiro", "amazon-q");

  private AgentReading() {}

  /** {@code event}: the agent's name of it; empty where it has none. */
  static Effect of(String agent, String event, Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    String exit = reply.header("Safeconduct-Exit").orElseThrow();
    assertThat(exit).isIn("0", "2");
    assertThat(reply.header("Safeconduct-Output"))
        .contains(STDERR.contains(agent) ? "stderr" : "stdout");
    Effect effect =
        switch (agent) {
          case "claude-code", "vscode" ->
              reply.text().equals("{}") ? Effect.ALLOW : nested(event, reply.json());
          case "codex" -> reply.text().isEmpty() ? Effect.ALLOW : nested(event, reply.json());
          case "cursor" -> cursor(event, reply.json());
          case "gemini-cli" ->
              reply.text().equals("{}") ? Effect.ALLOW : decision("deny", reply.json());
          case "copilot" -> reply.text().isEmpty() ? Effect.ALLOW : flat(event, reply.json());
          case "goose" -> reply.text().isEmpty() ? Effect.ALLOW : decision("block", reply.json());
          default -> {
            assertThat(reply.header("Content-Type")).contains("text/plain; charset=utf-8");
            yield reply.text().isBlank() ? Effect.ALLOW : Effect.DENY;
          }
        };
    if (agent.equals("codex") || agent.equals("gemini-cli") || agent.equals("goose")) {
      assertThat(effect).isIn(Effect.ALLOW, Effect.DENY);
    }
    assertThat(exit).isEqualTo(effect == Effect.DENY ? "2" : "0");
    if (effect == Effect.DENY) {
      assertThat(reply.header("Safeconduct-Reason").orElseThrow())
          .isNotBlank()
          .matches("[ -~]{1,500}");
    }
    return effect;
  }

  private static boolean isPermissionRequest(String event) {
    return event.toLowerCase(Locale.ROOT).equals("permissionrequest");
  }

  private static Effect nested(String event, JsonObject answer) {
    only(answer, "hookSpecificOutput");
    JsonObject output = answer.object("hookSpecificOutput").orElseThrow();
    if (isPermissionRequest(event)) {
      only(output, "hookEventName", "decision");
      assertThat(output.string("hookEventName")).contains(event);
      return behavior(output.object("decision").orElseThrow());
    }
    only(output, "hookEventName", "permissionDecision", "permissionDecisionReason");
    assertThat(output.string("hookEventName")).contains("PreToolUse");
    return permission(output);
  }

  private static Effect flat(String event, JsonObject answer) {
    if (isPermissionRequest(event)) {
      return behavior(answer);
    }
    only(answer, "permissionDecision", "permissionDecisionReason");
    return permission(answer);
  }

  private static Effect permission(JsonObject answer) {
    assertThat(answer.string("permissionDecisionReason").orElseThrow()).isNotBlank();
    return switch (answer.string("permissionDecision").orElseThrow()) {
      case "allow" -> Effect.APPROVE;
      case "ask" -> Effect.ASK;
      case "deny" -> Effect.DENY;
      default -> throw new AssertionError(answer);
    };
  }

  private static Effect behavior(JsonObject decision) {
    only(decision, "behavior", "message");
    if (decision.string("behavior").orElseThrow().equals("allow")) {
      return Effect.APPROVE;
    }
    assertThat(decision.string("behavior")).contains("deny");
    assertThat(decision.string("message").orElseThrow()).isNotBlank();
    return Effect.DENY;
  }

  private static Effect cursor(String event, JsonObject answer) {
    only(answer, "permission", "user_message", "agent_message");
    String permission = answer.string("permission").orElseThrow();
    if (permission.equals("allow")) {
      return Effect.ALLOW;
    }
    assertThat(answer.string("agent_message").orElseThrow()).isNotBlank();
    if (permission.equals("ask")) {
      assertThat(event).isIn("beforeShellExecution", "beforeMCPExecution");
      return Effect.ASK;
    }
    assertThat(permission).isEqualTo("deny");
    return Effect.DENY;
  }

  private static Effect decision(String deny, JsonObject answer) {
    only(answer, "decision", "reason");
    assertThat(answer.string("decision")).contains(deny);
    assertThat(answer.string("reason").orElseThrow()).isNotBlank();
    return Effect.DENY;
  }

  private static void only(JsonObject object, String... names) {
    assertThat(names).containsAll(object.names());
  }
}
