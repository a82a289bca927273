package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The playground: an agent, a pack and an action; what would be decided, and why. */
public final class PlaygroundPage {
  private static final String PATH = "/console/playground";
  private static final String PREFIX = "context:";
  private static final int AGENTS = 200;

  private final DoorPage door;

  PlaygroundPage(DoorPage door) {
    this.door = door;
  }

  List<Route> routes() {
    return List.of(
        door.page(PATH, page -> show(page, Optional.empty())), door.form(PATH, this::ask));
  }

  /** The page; {@code console/playground.jte}. */
  public record View(
      Shell shell,
      List<Choice> agents,
      List<Choice> policies,
      String policyId,
      List<SchemaForm.Field> fields,
      Optional<Answer> answer) {
    public View {
      agents = List.copyOf(agents);
      policies = List.copyOf(policies);
      fields = List.copyOf(fields);
    }
  }

  /** Something to choose. */
  public record Choice(String id, String name, boolean chosen) {}

  /** What would be decided. */
  public record Answer(boolean allow, String why, String code, List<Check> checks, String curl) {
    public Answer {
      checks = List.copyOf(checks);
    }
  }

  /** A check that was made, with what it compared. */
  public record Check(String name, boolean passed, List<DecisionStory.Field> compared) {
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
      String id = Read.text(passport, "agent_id");
      agents.add(new Choice(id, Show.clip(Read.text(passport, "name"), 60), id.equals(agent)));
    }
    if (!agent.isEmpty() && agents.stream().noneMatch(Choice::chosen)) {
      agents.add(new Choice(agent, agent, true));
    }
    List<Choice> policies =
        page.bare("/api/policies").stream()
            .map(pack -> {
              String id = Read.text(pack, "id");
              return new Choice(id, Read.text(pack, "name"), id.equals(policy));
            })
            .toList();
    return page.show(
        "console/playground.jte",
        "Playground",
        shell ->
            new View(
                shell,
                agents,
                policies,
                policy,
                SchemaForm.fields(PREFIX, schema(page, policy), entered(page, policy)),
                answer));
  }

  private static JsonObject schema(OpenPage page, String policy) {
    return page.find("/api/policies/" + Show.url(policy))
        .map(pack -> Read.object(pack, "required_context"))
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
      JsonObject decided =
          page.send(
              "POST",
              "/api/verify/policy/" + Show.url(policy) + "?dry_run=true&explain=true",
              question);
      JsonObject reason =
          Read.objects(decided, "reasons").stream().findFirst().orElse(JsonObject.EMPTY);
      return show(
          page,
          Optional.of(
              new Answer(
                  decided.isTrue("allow"),
                  Read.text(reason, "message"),
                  Read.text(reason, "code"),
                  Read.objects(decided, "trace").stream().map(PlaygroundPage::check).toList(),
                  Curl.send(page, "POST", "/api/verify/policy/" + policy, question))));
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> show(page, Optional.empty()));
    }
  }

  private static Check check(JsonObject check) {
    var compared = new ArrayList<DecisionStory.Field>();
    add(compared, "Limit: ", Read.object(check, "limits"));
    add(compared, "Asked: ", Read.object(check, "context"));
    return new Check(
        Show.sentence(Show.words(Read.text(check, "check").replace("rule:", ""))),
        check.isTrue("passed"),
        compared);
  }

  private static void add(List<DecisionStory.Field> to, String kind, JsonObject values) {
    for (String name : values.names()) {
      JsonValue value = values.present(name);
      if (value != null) {
        to.add(new DecisionStory.Field(kind + Show.words(name), Show.clip(Read.plain(value), 500)));
      }
    }
  }
}
