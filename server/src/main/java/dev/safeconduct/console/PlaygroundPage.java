package dev.safeconduct.console;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SchemaForm;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The playground: evaluates an agent's action under a pack, and shows the outcome and its reason.
 */
public final class PlaygroundPage {
  private static final String PATH = "/console/playground";
  private static final String PREFIX = "context:";
  private static final int AGENTS = 200;

  private final SignInPage signIn;

  PlaygroundPage(SignInPage signIn) {
    this.signIn = signIn;
  }

  List<Route> routes() {
    return List.of(
        signIn.page(PATH, page -> show(page, Optional.empty())), signIn.form(PATH, this::ask));
  }

  /** The page; {@code console/playground.jte}. */
  public record RequestForm(
      Layout shell,
      List<Choice> agents,
      List<Choice> policies,
      String policyId,
      List<SchemaForm.Field> fields,
      Optional<Answer> answer) {
    public RequestForm {
      agents = List.copyOf(agents);
      policies = List.copyOf(policies);
      fields = List.copyOf(fields);
    }
  }

  /** An option to choose. */
  public record Choice(String id, String name, boolean chosen) {}

  /** The outcome of the evaluation. */
  public record Answer(boolean allow, String why, String code, List<Check> checks, String curl) {
    public Answer {
      checks = List.copyOf(checks);
    }
  }

  /** An evaluated check, with the values it compared. */
  public record Check(String name, boolean passed, List<DecisionView.Field> compared) {
    public Check {
      compared = List.copyOf(compared);
    }
  }

  private Response show(OpenPage page, Optional<Answer> answer) {
    String agent = page.field("agent_id").or(() -> page.query("agent_id")).orElse("");
    String policy =
        page.field("policy_id")
            .or(() -> page.query("policy_id"))
            .orElse("system.command.execute.v1");
    var agents = new ArrayList<Choice>();
    for (JsonObject passport : page.list("/api/passports?limit=" + AGENTS, "passports")) {
      String id = AnswerReader.text(passport, "agent_id");
      agents.add(
          new Choice(id, Formats.clip(AnswerReader.text(passport, "name"), 60), id.equals(agent)));
    }
    if (!agent.isEmpty() && agents.stream().noneMatch(Choice::chosen)) {
      agents.add(new Choice(agent, agent, true));
    }
    List<Choice> policies =
        page.bare("/api/policies").stream()
            .map(pack -> {
              String id = AnswerReader.text(pack, "id");
              return new Choice(id, AnswerReader.text(pack, "name"), id.equals(policy));
            })
            .toList();
    return page.show(
        "console/playground.jte",
        "Playground",
        shell ->
            new RequestForm(
                shell,
                agents,
                policies,
                policy,
                SchemaForm.fields(PREFIX, schema(page, policy), entered(page, policy)),
                answer));
  }

  private static JsonObject schema(OpenPage page, String policy) {
    return page.find("/api/policies/" + Formats.url(policy))
        .map(pack -> AnswerReader.object(pack, "required_context"))
        .orElse(JsonObject.EMPTY);
  }

  private static JsonObject entered(OpenPage page, String policy) {
    try {
      return SchemaForm.read(PREFIX, schema(page, policy), page::field);
    } catch (ProblemException _) {
      return JsonObject.EMPTY;
    }
  }

  private Response ask(OpenPage page) {
    String policy = page.field("policy_id").orElse("");
    try {
      if (policy.isEmpty()) {
        throw Problem.invalid("policy_id", "Choose a policy.").toException();
      }
      JsonObject context =
          JsonObject.builder()
              .put("agent_id", page.field("agent_id").orElse(""))
              .putAll(SchemaForm.read(PREFIX, schema(page, policy), page::field))
              .build();
      JsonObject question = JsonObject.builder().put("context", context).build();
      JsonObject answer =
          page.send(
              "POST",
              "/api/verify/policy/" + Formats.url(policy) + "?dry_run=true&explain=true",
              question);
      Decision decision = DecisionJson.read(answer).orElseThrow();
      return show(
          page,
          Optional.of(
              new Answer(
                  decision.allow(),
                  decision.reason().message(),
                  decision.reason().code(),
                  AnswerReader.objects(answer, "trace").stream()
                      .map(PlaygroundPage::check)
                      .toList(),
                  Curl.send(page, "POST", "/api/verify/policy/" + policy, question))));
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> show(page, Optional.empty()));
    }
  }

  private static Check check(JsonObject check) {
    var compared = new ArrayList<DecisionView.Field>();
    add(compared, "Limit: ", AnswerReader.object(check, "limits"));
    add(compared, "Asked: ", AnswerReader.object(check, "context"));
    return new Check(
        Formats.sentence(Formats.words(AnswerReader.text(check, "check").replace("rule:", ""))),
        check.isTrue("passed"),
        compared);
  }

  private static void add(List<DecisionView.Field> to, String kind, JsonObject values) {
    for (String name : values.names()) {
      JsonValue value = values.present(name);
      if (value != null) {
        to.add(
            new DecisionView.Field(
                kind + Formats.words(name), Formats.clip(AnswerReader.plain(value), 500)));
      }
    }
  }
}
