// An agent of Google ADK whose tools ask before they run. The model is a stand-in that calls the tool.
import com.google.adk.agents.LlmAgent;
import com.google.adk.models.*;
import com.google.adk.runner.InMemoryRunner;
import com.google.adk.tools.Annotations.Schema;
import com.google.adk.tools.FunctionTool;
import com.google.genai.types.*;
import dev.safeconduct.adk.SafeconductPlugin;
import dev.safeconduct.client.*;
import io.reactivex.rxjava3.core.Flowable;
import java.util.*;

public class GoogleAdk extends BaseLlm {
  GoogleAdk() { super("stand-in"); }
  public static Map<String, Object> shell(@Schema(name = "command") String command) { return Map.of("result", command); }
  public Flowable<LlmResponse> generateContent(LlmRequest request, boolean stream) {
    Part last = request.contents().get(request.contents().size() - 1).parts().get().get(0);
    Part answer = last.functionResponse().map(result -> Part.fromText(result.response().get().toString()))
        .orElseGet(() -> Part.fromFunctionCall("shell", Map.of("command", last.text().get())));
    return Flowable.just(LlmResponse.builder().content(Content.builder().role("model").parts(answer).build()).build());
  }
  public BaseLlmConnection connect(LlmRequest request) { throw new UnsupportedOperationException(); }
  public static void main(String[] args) {
    var guard = ToolGuard.builder(Safeconduct.builder().build()).tool("shell", arguments -> Action.of("system.command.execute.v1", Map.of("command", ToolGuard.text(arguments, "command")))).build();
    var agent = LlmAgent.builder().name("agent").model(new GoogleAdk()).tools(FunctionTool.create(GoogleAdk.class, "shell")).build();
    var runner = new InMemoryRunner(agent, "app", List.of(new SafeconductPlugin(guard)));
    var session = runner.sessionService().createSession("app", "user").blockingGet().id();
    for (String command : List.of("echo hello", "reboot")) System.out.println((command.equals("reboot") ? "denied: " : "allowed: ") + runner.runAsync("user", session, Content.fromParts(Part.fromText(command))).blockingLast().stringifyContent()); } }
