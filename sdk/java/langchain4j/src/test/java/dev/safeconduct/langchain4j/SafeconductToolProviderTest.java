package dev.safeconduct.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.ReturnBehavior;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.IllegalConfigurationException;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolErrorHandlerResult;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.safeconduct.client.EchoService;
import dev.safeconduct.client.ToolGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SafeconductToolProviderTest {
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

  interface Assistant {
    String chat(String message);
  }

  /** The tools. */
  public final class Shell {
    /** Runs nothing. */
    @Tool
    public String shell(@P(name = "command", value = "what to run") String command) {
      ran.add(command);
      return "did " + command;
    }
  }

  /** Has a tool that fails, whose result is for the caller and not for the model. */
  final class Reports {
    @Tool(returnBehavior = ReturnBehavior.IMMEDIATE)
    String report() {
      return ran.get(0);
    }
  }

  /** Calls a tool, then answers with what the tool said. */
  private record Script(String tool, String arguments) implements ChatModel {
    @Override
    public ChatResponse doChat(ChatRequest request) {
      ChatMessage last = request.messages().get(request.messages().size() - 1);
      AiMessage answer =
          last instanceof ToolExecutionResultMessage result
              ? AiMessage.from(result.text())
              : AiMessage.from(
                  ToolExecutionRequest.builder().id("1").name(tool).arguments(arguments).build());
      return ChatResponse.builder().aiMessage(answer).build();
    }
  }

  private String provided(String tool, String arguments) {
    var tools = new ToolProviderResult(SafeconductToolProviderTest.plain(new Shell()));
    return AiServices.builder(Assistant.class)
        .chatModel(new Script(tool, arguments))
        .toolProvider(SafeconductToolProvider.wrap(request -> tools, service.guard()))
        .build()
        .chat("go");
  }

  private static Map<
          dev.langchain4j.agent.tool.ToolSpecification, dev.langchain4j.service.tool.ToolExecutor>
      plain(Shell shell) {
    var method =
        List.of(Shell.class.getMethods()).stream()
            .filter(each -> each.getName().equals("shell"))
            .findFirst()
            .orElseThrow();
    return Map.of(
        dev.langchain4j.agent.tool.ToolSpecifications.toolSpecificationFrom(method),
        new dev.langchain4j.service.tool.DefaultToolExecutor(shell, method));
  }

  private String annotated(String arguments) {
    return AiServices.builder(Assistant.class)
        .chatModel(new Script("shell", arguments))
        .tools(SafeconductToolProvider.wrap(new Shell(), service.guard()))
        .build()
        .chat("go");
  }

  @Test
  void allowedToolsRun() {
    assertThat(provided("shell", "{\"command\": \"echo 1\"}")).contains("did echo 1");
    assertThat(annotated("{\"command\": \"echo 2\"}")).contains("did echo 2");
    assertThat(ran).containsExactly("echo 1", "echo 2");
  }

  @Test
  void deniedToolsDoNotRun() {
    assertThat(provided("shell", "{\"command\": \"reboot\"}"))
        .contains("Denied by policy")
        .contains("oap.command_not_allowed");
    assertThat(annotated("{\"command\": \"reboot\"}")).contains("oap.command_not_allowed");
    assertThat(annotated("{\"command\": \"reboot\", \"command\": \"echo 1\"}"))
        .contains("client.invalid_arguments");
    service.close();
    assertThat(annotated("{\"command\": \"echo 1\"}")).contains("client.unavailable");
    assertThat(ran).isEmpty();
  }

  @Test
  void toolsStayAsTheirObjectSays() {
    var tools =
        SafeconductToolProvider.wrap(
            new Reports(), ToolGuard.builder(service.client()).unchecked("report").build());
    assertThat(tools)
        .extracting(AiServiceTool::returnBehavior)
        .containsExactly(ReturnBehavior.IMMEDIATE);
    assertThat(
            AiServices.builder(Assistant.class)
                .chatModel(new Script("report", "{}"))
                .tools(tools)
                .toolExecutionErrorHandler(
                    (error, context) -> ToolErrorHandlerResult.text("failed"))
                .build()
                .chat("go"))
        .isEqualTo("failed");
  }

  @Test
  void bothWaysOfAnExecutorAsk() {
    var executor =
        new SafeconductToolExecutor(plain(new Shell()).values().iterator().next(), service.guard());
    var request =
        ToolExecutionRequest.builder().name("shell").arguments("{\"command\": \"reboot\"}").build();
    assertThat(executor.execute(request, null)).contains("Denied by policy");
    var unknown = ToolExecutionRequest.builder().name("other").arguments("{}").build();
    assertThat(executor.execute(unknown, null)).contains("client.unknown_tool");
    assertThat(ran).isEmpty();
    assertThatThrownBy(() -> SafeconductToolProvider.wrap("no tools", service.guard()))
        .isInstanceOf(IllegalConfigurationException.class);
  }
}
