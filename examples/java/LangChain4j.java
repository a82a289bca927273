// An AI service of LangChain4j whose tool asks before it runs. The model is a stand-in that calls the tool.
import dev.langchain4j.agent.tool.*;
import dev.langchain4j.data.message.*;
import dev.langchain4j.model.chat.*;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.AiServices;
import dev.safeconduct.client.*;
import dev.safeconduct.langchain4j.SafeconductToolProvider;
import java.util.Map;
public class LangChain4j {
  public interface Assistant { String chat(String message); }
  public static class Tools { @Tool public String shell(@P(name = "command", value = "command") String command) { return command; } }

  public static void main(String[] args) {
    var guard = ToolGuard.builder(Safeconduct.builder().build()).tool("shell", arguments -> Action.of(
        "system.command.execute.v1", Map.of("command", ToolGuard.text(arguments, "command")))).build();
    var assistant = AiServices.builder(Assistant.class).chatModel(new Model())
        .tools(SafeconductToolProvider.wrap(new Tools(), guard)).build();
    System.out.println("allowed: " + assistant.chat("echo hello") + "\ndenied: " + assistant.chat("reboot"));
  }

  static class Model implements ChatModel {
    public ChatResponse doChat(ChatRequest request) {
      return ChatResponse.builder().aiMessage(request.messages().get(request.messages().size() - 1) instanceof UserMessage user
          ? AiMessage.from(ToolExecutionRequest.builder().id("1").name("shell").arguments("{\"command\": \"" + user.singleText() + "\"}").build())
          : AiMessage.from(((ToolExecutionResultMessage) request.messages().get(request.messages().size() - 1)).text())).build();
    }
  }
}
