// Spring AI: a manager that asks before the tools of a turn run. The calls stand for those of a model.
import dev.safeconduct.client.*;
import dev.safeconduct.springai.SafeconductToolCallingManager;
import java.util.*;
import java.util.function.Function;
import org.springframework.ai.chat.messages.*;
import org.springframework.ai.chat.model.*;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.*;
import org.springframework.ai.tool.function.FunctionToolCallback;

public class SpringAi {
  public record Input(String command) {}

  public static void main(String[] args) {
    var guard = ToolGuard.builder(Safeconduct.builder().build()).tool("shell", arguments -> Action.of(
        "system.command.execute.v1", Map.of("command", ToolGuard.text(arguments, "command")))).build();
    // As a bean, or: ChatClient.builder(model).defaultAdvisors(ToolCallingAdvisor.builder().toolCallingManager(manager).build())
    var manager = new SafeconductToolCallingManager(DefaultToolCallingManager.builder().build(), guard);
    Function<Input, String> shell = Input::command;
    var tool = FunctionToolCallback.builder("shell", shell).inputType(Input.class).build();
    var prompt = new Prompt("go", ToolCallingChatOptions.builder().toolCallbacks(List.of(tool)).build());
    for (String command : List.of("echo hello", "reboot")) {
      var call = new AssistantMessage.ToolCall("1", "function", "shell", "{\"command\": \"" + command + "\"}");
      var turn = new ChatResponse(List.of(new Generation(AssistantMessage.builder().toolCalls(List.of(call)).build())));
      var result = (ToolResponseMessage) manager.executeToolCalls(prompt, turn).conversationHistory().get(2);
      System.out.println((command.equals("reboot") ? "denied: " : "allowed: ") + result.getResponses().get(0).responseData());
    }
  }
}
