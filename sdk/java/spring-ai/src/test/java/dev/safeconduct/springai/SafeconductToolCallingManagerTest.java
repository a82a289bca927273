package dev.safeconduct.springai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.EchoService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.ToolCallingAdvisor;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.AssistantMessage.ToolCall;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.DefaultToolCallingManager;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.function.FunctionToolCallback;

class SafeconductToolCallingManagerTest {
  private final List<String> ran = new ArrayList<>();
  private EchoService service;

  @BeforeEach
  void start() throws Exception {
    service = new EchoService();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  record Input(String command) {}

  /** Calls the tool shell with each of the arguments, then answers with what it said. */
  private record Script(List<String> arguments) implements ChatModel {
    @Override
    public ChatResponse call(Prompt prompt) {
      List<Message> messages = prompt.getInstructions();
      Message last = messages.get(messages.size() - 1);
      AssistantMessage answer;
      if (last instanceof ToolResponseMessage results) {
        answer =
            new AssistantMessage(
                results.getResponses().stream()
                    .map(each -> each.id() + ": " + each.responseData())
                    .collect(Collectors.joining("\n")));
      } else {
        var calls = new ArrayList<ToolCall>();
        arguments.forEach(
            each -> calls.add(new ToolCall("call" + calls.size(), "function", "shell", each)));
        answer = AssistantMessage.builder().content("").toolCalls(calls).build();
      }
      return new ChatResponse(List.of(new Generation(answer)));
    }

    @Override
    public ChatOptions getOptions() {
      return ToolCallingChatOptions.builder().build();
    }
  }

  private @Nullable String chat(String... arguments) {
    Function<Input, String> shell =
        input -> {
          ran.add(input.command());
          return "did " + input.command();
        };
    var manager =
        new SafeconductToolCallingManager(
            DefaultToolCallingManager.builder().build(), service.guard());
    return ChatClient.builder(new Script(Arrays.asList(arguments)))
        .defaultTools(FunctionToolCallback.builder("shell", shell).inputType(Input.class).build())
        .defaultAdvisors(ToolCallingAdvisor.builder().toolCallingManager(manager).build())
        .build()
        .prompt("go")
        .call()
        .content();
  }

  @Test
  void allowedCallsRun() {
    assertThat(chat("{\"command\": \"echo 1\"}", "{\"command\": \"echo 2\"}"))
        .contains("call0: \"did echo 1\"", "call1: \"did echo 2\"");
    assertThat(ran).containsExactly("echo 1", "echo 2");
  }

  @Test
  void deniedCallsDoNotRun() {
    assertThat(chat("{\"command\": \"reboot\"}"))
        .contains("call0: Denied by policy")
        .contains("oap.command_not_allowed");
    assertThat(chat("{\"command\": \"reboot\", \"command\": \"echo 1\"}"))
        .contains("client.invalid_arguments");
    service.close();
    assertThat(chat("{\"command\": \"echo 1\"}")).contains("client.unavailable");
    assertThat(ran).isEmpty();
  }

  @Test
  void ofOneTurnOnlyTheAllowedCallsRun() {
    assertThat(chat("{\"command\": \"reboot\"}", "{\"command\": \"echo 1\"}"))
        .contains("call0: Denied by policy")
        .contains("call1: \"did echo 1\"");
    assertThat(ran).containsExactly("echo 1");
  }
}
