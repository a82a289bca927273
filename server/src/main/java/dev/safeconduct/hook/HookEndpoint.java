package dev.safeconduct.hook;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * {@code POST /api/hooks/{agent}}: answers the event that a coding agent's hook sends before it
 * uses a tool. Agents take an error status for consent, so the status is always 200 and every
 * failure is the agent's deny.
 */
public final class HookEndpoint {
  private static final String AGENT = "Safeconduct-Agent";
  private static final String LOCAL_APPROVAL = "Safeconduct-Local-Approval";

  private final HookTables tables;
  private final AnswerHook answerHook;

  public HookEndpoint(HookTables tables, AnswerHook answerHook) {
    this.tables = tables;
    this.answerHook = answerHook;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/hooks/{agent}", Permission.scope(Scope.READ), this::answer)
            .verify()
            .failingWith(this::failed));
  }

  private Response answer(Request request) {
    HookAgent agent =
        tables
            .agent(request.pathParam("agent"))
            .orElseThrow(() ->
                ProblemException.notFound(
                    "No hooks are known for an agent of this name.", "unknown_agent", Map.of()));
    JsonObject body = request.json();
    var caller =
        new AnswerHook.HookCaller(
            request.origin(),
            Stream.of(request.header(AGENT), request.query("agent_id"))
                .flatMap(Optional::stream)
                .toList(),
            isOn(request.query("local_approval")) || isOn(request.header(LOCAL_APPROVAL)),
            request.timing());
    AnswerHook.Answered answered = answerHook.run(caller, agent, body);
    Response response =
        response(agent.form(), agent.event(body), answered.outcome())
            .header("Safeconduct-Decision-Id", answered.recordId());
    return answered
        .error()
        .map(code -> response.header("Safeconduct-Error", code))
        .orElse(response);
  }

  private static boolean isOn(Optional<String> flag) {
    return flag.filter(text -> text.equals("1") || text.equals("true")).isPresent();
  }

  private Response failed(UnaryOperator<String> pathParam, byte[] sent, JsonObject error) {
    Optional<HookAgent> agent = tables.agent(pathParam.apply("agent"));
    Optional<JsonObject> body = Json.kept(sent);
    String code =
        error.array("reasons").orElseThrow().get(0) instanceof JsonObject reason
            ? reason.text("code").replaceFirst("^oap\\.", "")
            : "";
    boolean unreadable = sent.length > 0 && body.isEmpty() && code.equals("invalid_request");
    String told = unreadable ? "invalid_json" : code;
    String reason =
        "Safeconduct cannot decide, so this is denied: "
            + HookOutcome.clipped(error.text("message"))
            + " ("
            + told
            + ", request "
            + error.text("request_id")
            + ")";
    return response(
            agent.map(HookAgent::form).orElse(AnswerForm.ANY),
            event(agent, body),
            new HookOutcome.Deny(reason))
        .header("Safeconduct-Error", told);
  }

  /** Returns the event's name, as far as the body can be read. */
  private static String event(Optional<HookAgent> agent, Optional<JsonObject> body) {
    try {
      return agent.flatMap(known -> body.map(known::event)).orElse("");
    } catch (ProblemException _) {
      return "";
    }
  }

  private static Response response(AnswerForm form, String event, HookOutcome outcome) {
    String text = form.text(event, outcome);
    boolean stderr = form == AnswerForm.STDERR;
    Response response =
        Response.bytes(
                200,
                stderr ? "text/plain; charset=utf-8" : "application/json",
                text.getBytes(StandardCharsets.UTF_8))
            .header("Safeconduct-Output", stderr ? "stderr" : "stdout")
            .header("Safeconduct-Exit", outcome instanceof HookOutcome.Deny ? "2" : "0");
    return switch (outcome) {
      case HookOutcome.Allow _ -> response;
      case HookOutcome.Ask(String reason) -> response.textHeader("Safeconduct-Reason", reason);
      case HookOutcome.Deny(String reason) -> response.textHeader("Safeconduct-Reason", reason);
    };
  }
}
