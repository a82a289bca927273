package dev.safeconduct.springai;

import dev.safeconduct.client.ActionDeniedException;
import dev.safeconduct.client.ToolGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.AssistantMessage.ToolCall;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage.ToolResponse;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.model.tool.ToolExecutionResult;
import org.springframework.ai.tool.definition.ToolDefinition;

/**
 * Runs the tool calls of a model that are allowed; for the others the model reads why not. As a
 * bean, or given to {@code ToolCallingAdvisor.builder()}, it covers every tool, those of MCP
 * servers too.
 */
public final class SafeconductToolCallingManager implements ToolCallingManager {
  private final ToolCallingManager manager;
  private final ToolGuard guard;

  /** Wraps a manager. */
  public SafeconductToolCallingManager(ToolCallingManager manager, ToolGuard guard) {
    this.manager = manager;
    this.guard = guard;
  }

  @Override
  public List<ToolDefinition> resolveToolDefinitions(ToolCallingChatOptions options) {
    return manager.resolveToolDefinitions(options);
  }

  @Override
  public ToolExecutionResult executeToolCalls(Prompt prompt, ChatResponse response) {
    AssistantMessage message =
        response.getResults().stream()
            .map(Generation::getOutput)
            .filter(AssistantMessage::hasToolCalls)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("the model calls no tool"));
    var allowed = new ArrayList<ToolCall>();
    var responses = new ArrayList<ToolResponse>();
    for (ToolCall call : message.getToolCalls()) {
      Optional<ActionDeniedException> denied = guard.deny(call.name(), call.arguments());
      if (denied.isEmpty()) {
        allowed.add(call);
      } else {
        String refusal = ToolGuard.refusal(denied.get());
        responses.add(new ToolResponse(call.id(), call.name(), refusal));
      }
    }
    // The manager sees only what was asked about, whichever of several results it would take.
    if (responses.isEmpty()) {
      return manager.executeToolCalls(prompt, only(message, response));
    }
    if (!allowed.isEmpty()) {
      AssistantMessage part = message.mutate().toolCalls(allowed).build();
      List<Message> history =
          manager.executeToolCalls(prompt, only(part, response)).conversationHistory();
      if (history.get(history.size() - 1) instanceof ToolResponseMessage ran) {
        responses.addAll(0, ran.getResponses());
      }
    }
    var history = new ArrayList<Message>(prompt.getInstructions());
    history.add(message);
    history.add(ToolResponseMessage.builder().responses(responses).build());
    return ToolExecutionResult.builder().conversationHistory(history).returnDirect(false).build();
  }

  private static ChatResponse only(AssistantMessage message, ChatResponse response) {
    return new ChatResponse(List.of(new Generation(message)), response.getMetadata());
  }
}
