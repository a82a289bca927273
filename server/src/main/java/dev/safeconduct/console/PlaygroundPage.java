package dev.safeconduct.console;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.Redaction;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.IndentedJson;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SchemaForm;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The playground: evaluates an agent's action under a pack, and shows the outcome and its reason. A
 * link to it names the agent, the policy and the context, or a recorded decision that has them.
 */
public final class PlaygroundPage {
  private static final String PATH = "/console/playground";
  private static final String PREFIX = "context:";

  /** How many agents can be chosen. */
  public static final int AGENTS = 200;

  private static final int MOST_LINK = 2_000;
  private static final String DEFAULT_POLICY = "system.command.execute.v1";

  private final KnownPacks packs;
  private final Redaction redaction;

  PlaygroundPage(KnownPacks packs, Redaction redaction) {
    this.packs = packs;
    this.redaction = redaction;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page(PATH, this::open), signIn.form(PATH, this::ask));
  }

  /**
   * The page; {@code console/playground.jte}.
   *
   * @param link the address of the same request; empty for none
   * @param withheld what the address does not have, for people; empty if it has everything
   */
  public record RequestForm(
      Layout shell,
      String note,
      List<Choice> agents,
      List<Choice> policies,
      List<Choice> otherPolicies,
      String agentId,
      String policyId,
      List<SchemaForm.Field> fields,
      String json,
      String link,
      String withheld,
      Optional<Answer> answer) {}

  /** An option to choose. */
  public record Choice(String id, String name, boolean chosen) {}

  /** The outcome of the evaluation. */
  public record Answer(boolean allow, String why, String code, List<Check> checks, String curl) {}

  /** An evaluated check, with the values it compared. */
  public record Check(String name, boolean passed, List<DecisionView.Field> compared) {}

  /** A request to the playground; an empty agent or policy stands for the first of the list. */
  private record Entered(String agent, String policy, JsonObject context, String note) {}

  private Response open(OpenPage page) {
    Optional<String> decision = page.query("decision");
    if (decision.isPresent()) {
      return show(page, recorded(page, decision.get()), Optional.empty());
    }
    String policy = page.query("policy_id").orElse("");
    String agent = page.query("agent_id").orElse("");
    try {
      JsonObject context = page.query("context").map(PlaygroundPage::json).orElse(JsonObject.EMPTY);
      return show(page, new Entered(agent, policy, context, ""), Optional.empty());
    } catch (ProblemException e) {
      return page.failed(
          e.problem(),
          () -> show(page, new Entered(agent, policy, JsonObject.EMPTY, ""), Optional.empty()));
    }
  }

  /** Returns the request of a recorded decision, without the values that are not stored. */
  private static Entered recorded(OpenPage page, String id) {
    JsonObject record = page.get("/api/audit/" + Formats.url(id));
    JsonObject context = record.child("details").child("context");
    var missing = new ArrayList<String>();
    for (String name : context.names()) {
      JsonValue value = context.present(name);
      if (value != null && Json.text(value).contains(Redaction.MARK)) {
        missing.add(Formats.words(name));
        context = context.without(name);
      }
    }
    return new Entered(
        record.text("agent_id"),
        record.text("policy_id"),
        context.without("agent_id"),
        missing.isEmpty()
            ? "The context is the one of the decision."
            : "The context is the one of the decision, without what is not stored: "
                + Formats.clip(String.join(", ", missing), 300)
                + ".");
  }

  private static JsonObject json(String text) {
    try {
      if (Json.parse(text) instanceof JsonObject object) {
        return object.without("agent_id");
      }
    } catch (JsonFault e) {
      throw ProblemException.invalid("context", "context is not valid JSON: " + e.getMessage());
    }
    throw ProblemException.invalid("context", "context must be a JSON object.");
  }

  private Response show(OpenPage page, Entered entered, Optional<Answer> answer) {
    List<JsonObject> passports = passports(page, entered.agent());
    Optional<JsonObject> chosen =
        passports.stream()
            .filter(passport -> passport.text("agent_id").equals(entered.agent()))
            .findFirst()
            .or(() ->
                entered.agent().isEmpty() ? passports.stream().findFirst() : Optional.empty());
    String agent = chosen.map(found -> found.text("agent_id")).orElse(entered.agent());
    var agents = new ArrayList<Choice>();
    for (JsonObject passport : passports) {
      String id = passport.text("agent_id");
      agents.add(new Choice(id, Formats.clip(passport.text("name"), 60), id.equals(agent)));
    }
    if (!agent.isEmpty() && agents.stream().noneMatch(Choice::chosen)) {
      agents.add(new Choice(agent, agent, true));
    }
    Capabilities held =
        chosen
            .flatMap(passport -> passport.array("capabilities"))
            .map(Capabilities::new)
            .orElse(Capabilities.NONE);
    List<PolicyPack> all = packs.all(page.org()).toList();
    List<PolicyPack> usable = all.stream().filter(pack -> mayUse(held, pack)).toList();
    String policy =
        entered.policy().isEmpty()
            ? usable.stream().findFirst().map(pack -> pack.id().value()).orElse(DEFAULT_POLICY)
            : entered.policy();
    JsonObject schema = schema(page, policy);
    JsonObject linked = linked(page, policy, entered.context());
    return page.show(
        "console/playground.jte",
        "Playground",
        shell ->
            new RequestForm(
                shell,
                entered.note(),
                agents,
                choices(usable, policy),
                choices(all.stream().filter(pack -> !mayUse(held, pack)).toList(), policy),
                agent,
                policy,
                SchemaForm.fields(PREFIX, schema, entered.context()),
                entered.context().isEmpty() ? "{}" : IndentedJson.text(entered.context()),
                link(agent, policy, linked),
                withheld(entered.context(), linked),
                answer));
  }

  private static List<JsonObject> passports(OpenPage page, String agent) {
    var passports = new ArrayList<>(page.list("/api/passports?limit=" + AGENTS, "passports"));
    if (!agent.isEmpty() && passports.stream().noneMatch(p -> p.text("agent_id").equals(agent))) {
      page.find("/api/passports/" + Formats.url(agent)).ifPresent(passports::addFirst);
    }
    return passports;
  }

  private static boolean mayUse(Capabilities held, PolicyPack pack) {
    return held.holdsAny(pack.capabilities());
  }

  private static List<Choice> choices(List<PolicyPack> packs, String policy) {
    return packs.stream()
        .map(pack -> {
          String id = pack.id().value();
          return new Choice(id, pack.name(), id.equals(policy));
        })
        .toList();
  }

  /**
   * Returns the members that an address may have, which ends up in histories and logs: those that
   * are recorded unchanged.
   */
  private JsonObject linked(OpenPage page, String policy, JsonObject context) {
    return packs
        .find(page.org(), policy)
        .map(pack -> redaction.of(context, pack.contextSchema()).shown())
        .map(shown ->
            context.only(
                context.names().stream()
                    .filter(name -> Objects.equals(context.get(name), shown.get(name)))
                    .toList()))
        .orElse(JsonObject.EMPTY);
  }

  private static String withheld(JsonObject context, JsonObject linked) {
    return Formats.clip(
        context.names().stream()
            .filter(name -> !linked.has(name))
            .map(Formats::words)
            .collect(Collectors.joining(", ")),
        300);
  }

  /** Returns the link to a request with these values; empty when it is too long for one. */
  private static String link(String agent, String policy, JsonObject context) {
    String link =
        "%s?agent_id=%s&policy_id=%s&context=%s"
            .formatted(
                PATH, Formats.url(agent), Formats.url(policy), Formats.url(Json.text(context)));
    return context.isEmpty() || link.length() > MOST_LINK ? "" : link;
  }

  private static JsonObject schema(OpenPage page, String policy) {
    return PolicyView.find(page, policy)
        .map(pack -> pack.child("required_context"))
        .orElse(JsonObject.EMPTY);
  }

  private Response ask(OpenPage page) {
    String policy = page.entered("policy_id");
    String agent = page.entered("agent_id");
    JsonObject context = JsonObject.EMPTY;
    try {
      if (policy.isEmpty()) {
        throw ProblemException.invalid("policy_id", "Choose a policy.");
      }
      context =
          page.entered("do").equals("json")
              ? json(page.field("json").orElse("{}"))
              : fromFields(page, schema(page, policy));
      var entered = new Entered(agent, policy, context, "");
      return show(page, entered, Optional.of(answer(page, entered)));
    } catch (ProblemException e) {
      var entered = new Entered(agent, policy, context, "");
      return page.failed(e.problem(), () -> show(page, entered, Optional.empty()));
    }
  }

  /** Members that have no field stay as the JSON has them. */
  private static JsonObject fromFields(OpenPage page, JsonObject schema) {
    JsonObject others = json(page.field("json").orElse("{}"));
    for (String name : schema.child("properties").names()) {
      others = others.without(name);
    }
    return others.toBuilder().putAll(SchemaForm.read(PREFIX, schema, page::field)).build();
  }

  private static Answer answer(OpenPage page, Entered entered) {
    JsonObject question =
        JsonObject.of(
            "context",
            JsonObject.builder()
                .put("agent_id", entered.agent())
                .putAll(entered.context())
                .build());
    String target = "/api/verify/policy/" + Formats.url(entered.policy());
    JsonObject answer = page.send("POST", target + "?dry_run=true&explain=true", question);
    Decision decision = DecisionJson.read(answer).orElseThrow();
    return new Answer(
        decision.allow(),
        decision.reason().message(),
        decision.reason().code(),
        answer.objects("trace").stream().map(PlaygroundPage::check).toList(),
        Curl.send(page, "POST", target, question));
  }

  private static Check check(JsonObject check) {
    var compared = new ArrayList<>(DecisionView.Field.of("Limit: ", check.child("limits"), 500));
    compared.addAll(DecisionView.Field.of("Asked: ", check.child("context"), 500));
    return new Check(
        Formats.sentence(Formats.words(check.text("check").replace("rule:", ""))),
        check.isTrue("passed"),
        compared);
  }
}
