package dev.safeconduct.adk;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.adk.agents.LlmAgent;
import com.google.adk.models.BaseLlm;
import com.google.adk.models.BaseLlmConnection;
import com.google.adk.models.LlmRequest;
import com.google.adk.models.LlmResponse;
import com.google.adk.runner.InMemoryRunner;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.ToolContext;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.Part;
import dev.safeconduct.client.EchoService;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SafeconductPluginTest {
  private final List<Map<String, Object>> ran = new ArrayList<>();
  private EchoService service;

  @BeforeEach
  void start() throws Exception {
    service = new EchoService();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private final class Tool extends BaseTool {
    Tool(String name) {
      super(name, "runs nothing");
    }

    @Override
    public Optional<FunctionDeclaration> declaration() {
      return Optional.of(FunctionDeclaration.builder().name(name()).build());
    }

    @Override
    public Single<Map<String, Object>> runAsync(Map<String, Object> args, ToolContext context) {
      ran.add(args);
      return Single.just(Map.of("result", "did it"));
    }
  }

  /** Calls a tool, then answers with what the tool said. */
  private static final class Script extends BaseLlm {
    private final Part call;

    Script(Part call) {
      super("script");
      this.call = call;
    }

    @Override
    public Flowable<LlmResponse> generateContent(LlmRequest request, boolean stream) {
      List<Content> contents = request.contents();
      Part last = contents.get(contents.size() - 1).parts().orElseThrow().get(0);
      Part answer =
          last.functionResponse()
              .map(result -> Part.fromText(String.valueOf(result.response().orElseThrow())))
              .orElse(call);
      return Flowable.just(
          LlmResponse.builder()
              .content(Content.builder().role("model").parts(answer).build())
              .build());
    }

    @Override
    public BaseLlmConnection connect(LlmRequest request) {
      throw new UnsupportedOperationException();
    }
  }

  private String chat(String tool, Map<String, Object> arguments) {
    LlmAgent agent =
        LlmAgent.builder()
            .name("agent")
            .model(new Script(Part.fromFunctionCall(tool, arguments)))
            .tools(new Tool("shell"), new Tool("other"))
            .build();
    var runner = new InMemoryRunner(agent, "app", List.of(new SafeconductPlugin(service.guard())));
    var session = runner.sessionService().createSession("app", "user").blockingGet();
    return runner
        .runAsync("user", session.id(), Content.fromParts(Part.fromText("go")))
        .blockingLast()
        .stringifyContent();
  }

  @Test
  void allowedToolsRun() {
    assertThat(chat("shell", Map.of("command", "echo 1"))).contains("did it");
    assertThat(ran).containsExactly(Map.of("command", "echo 1"));
  }

  @Test
  void deniedToolsDoNotRun() {
    assertThat(chat("shell", Map.of("command", "reboot")))
        .contains("Denied by policy")
        .contains("oap.command_not_allowed");
    assertThat(chat("other", Map.of("command", "echo 1"))).contains("client.unknown_tool");
    assertThat(chat("shell", Map.of("command", List.of("echo"))))
        .contains("client.invalid_arguments");
    service.close();
    assertThat(chat("shell", Map.of("command", "echo 1"))).contains("client.unavailable");
    assertThat(ran).isEmpty();
  }
}
