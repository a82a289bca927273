package dev.safeconduct.console;

import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Connecting an agent: a passport and a key for it, the lines to paste, and its first call. */
public final class ConnectPage {
  private static final String PATH = "/console/connect";
  private static final String PASSPORTS = "/api/passports";
  private static final String PRESETS = "/api/public/framework-passport-presets";
  private static final String FIRST = "claude-code";
  private static final String MCP = "mcp.tool.execute";
  private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final int PASSPORTS_SHOWN = 100;
  private static final int LINES = 10;

  private final DecisionWords words;
  private final Passports passports;

  ConnectPage(DecisionWords words, Passports passports) {
    this.words = words;
    this.passports = passports;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(PATH, this::choose),
        signIn.form(PATH, this::connect),
        signIn.page(PATH + "/{agent_id}", this::watch));
  }

  /**
   * The form; {@code console/connect.jte}.
   *
   * @param passport the chosen passport; empty for a new one
   * @param wrong the field that the form was sent with and is not valid
   */
  public record Form(
      Layout shell,
      List<Connector> connectors,
      String connector,
      List<Choice> passports,
      String passport,
      String name,
      String servers,
      String wrong) {}

  /** A passport to choose. */
  public record Choice(String agentId, String name) {}

  /**
   * The steps after the form; {@code console/connected.jte}.
   *
   * @param key the new key; empty when the page is opened again
   * @param here the path of this page without the key
   * @param live where new decisions come from; empty for a reader who cannot view decisions
   */
  public record Steps(
      Layout shell,
      Connector connector,
      Choice passport,
      String key,
      Connector.Commands commands,
      String here,
      String live,
      List<DecisionWords.Line> lines) {
    @Override
    public String toString() {
      return "Steps[hidden]";
    }
  }

  private Response choose(OpenPage page) {
    return choose(page, page.query("agent_id").orElse(""), "");
  }

  private Response choose(OpenPage page, String passport, String wrong) {
    page.demand("POST", PASSPORTS);
    var passports = new ArrayList<Choice>();
    page.list(PASSPORTS + "?status=active&limit=" + PASSPORTS_SHOWN, "passports")
        .forEach(one -> passports.add(choice(one)));
    if (passports.stream().noneMatch(one -> one.agentId().equals(passport))) {
      Optional.of(passport)
          .filter(id -> !id.isEmpty())
          .flatMap(id -> page.find(PASSPORTS + "/" + Formats.url(id)))
          .ifPresent(one -> passports.addFirst(choice(one)));
    }
    return page.show(
        "console/connect.jte",
        "Connect an agent",
        shell ->
            new Form(
                shell,
                connectors(page),
                page.field("connector").or(() -> page.query("connector")).orElse(FIRST),
                passports,
                passport,
                page.entered("name"),
                page.entered("servers"),
                wrong));
  }

  private static Choice choice(JsonObject passport) {
    return new Choice(passport.text("agent_id"), Formats.clip(passport.text("name"), 60));
  }

  /** The coding agents are the presets of that category. */
  private static List<Connector> connectors(OpenPage page) {
    var connectors = new ArrayList<Connector>();
    for (JsonObject preset : page.get(PRESETS).objects("presets")) {
      if (preset.texts("categories").contains("coding")) {
        connectors.add(Connector.codingAgent(preset.text("id"), preset.text("name")));
      }
    }
    connectors.add(Connector.GATEWAY);
    return connectors;
  }

  private static Connector connector(OpenPage page, String id) {
    return connectors(page).stream()
        .filter(connector -> connector.id().equals(id))
        .findFirst()
        .orElseThrow(() -> ProblemException.invalid("connector", "Choose an agent."));
  }

  private Response connect(OpenPage page) {
    String chosen = page.entered("passport");
    try {
      Connector connector = connector(page, page.entered("connector"));
      List<String> servers = servers(page.entered("servers"));
      JsonObject passport =
          chosen.isEmpty() ? issued(page, connector, servers) : admitting(page, chosen, servers);
      chosen = passport.text("agent_id");
      String key = page.setupKey(chosen);
      return steps(page, connector, passport, key, newest(page, chosen));
    } catch (ProblemException e) {
      // A passport that was issued before the problem is the chosen one from now on.
      String passport = chosen;
      String wrong =
          e.problem() instanceof Problem.InvalidRequest(String _, Optional<String> field)
              ? field.orElse("")
              : "";
      return page.failed(e.problem(), () -> choose(page, passport, wrong));
    }
  }

  /** Reads the servers, one a line: a URL, or a name with or without {@code mcp:} before it. */
  private static List<String> servers(String text) {
    return text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .map(line -> {
          String name = line.startsWith("mcp:") ? line.substring(4) : line;
          if (!line.contains("://") && !SERVER.matcher(name).matches()) {
            throw ProblemException.invalid(
                "servers",
                "“"
                    + Formats.clip(line, 60)
                    + "” is not a valid name of an MCP server: use letters, digits, dots,"
                    + " hyphens and underscores.");
          }
          return line.contains("://") ? line : "mcp:" + name;
        })
        .toList();
  }

  private static JsonObject issued(OpenPage page, Connector connector, List<String> servers) {
    JsonObject preset = page.get(PRESETS + "/" + connector.preset()).child("data");
    return page.send(
        "POST",
        PASSPORTS,
        preset
            .without("id")
            .with("name", new JsonString(page.field("name").orElse(connector.name() + " agent")))
            .with("limits", admitting(preset.child("limits"), servers)));
  }

  private JsonObject admitting(OpenPage page, String agentId, List<String> servers) {
    String target = PASSPORTS + "/" + Formats.url(agentId);
    // Read before the limits, so that no change between the two is lost.
    Optional<Passport> before = AgentId.hosted(agentId).flatMap(passports::find);
    JsonObject passport = page.get(target);
    JsonObject limits = passport.child("limits");
    JsonObject wider = admitting(limits, servers);
    return wider.equals(limits)
        ? passport
        : page.send(
            "PATCH",
            target,
            JsonObject.of("limits", wider),
            Map.of("If-Match", EntityTag.of(before.orElseThrow().revision()).header()));
  }

  private static JsonObject admitting(JsonObject limits, List<String> servers) {
    JsonObject mcp = limits.child(MCP);
    if (servers.isEmpty()) {
      return limits;
    }
    if (mcp.isEmpty()) {
      throw ProblemException.invalid(
          "servers",
          "This passport may not call MCP servers. Add that capability to it first, or leave"
              + " the servers out.");
    }
    var all = new LinkedHashSet<>(mcp.texts("allowed_servers"));
    all.addAll(servers);
    return limits.with(MCP, mcp.with("allowed_servers", JsonArray.ofStrings(List.copyOf(all))));
  }

  /** The place in the log of the agent's newest decision; later ones are its first calls. */
  private static String newest(OpenPage page, String agentId) {
    return decisions(page, agentId, 1).stream()
        .findFirst()
        .flatMap(record -> record.whole("log_index"))
        .map(String::valueOf)
        .orElse("0");
  }

  private static List<JsonObject> decisions(OpenPage page, String agentId, int limit) {
    return page.list(
        "/api/audit?kind=decision&limit=" + limit + "&agent_id=" + Formats.url(agentId), "records");
  }

  private Response watch(OpenPage page) {
    page.demand("POST", PASSPORTS);
    String id = page.param("agent_id");
    return steps(
        page,
        connector(page, page.query("connector").orElse(FIRST)),
        page.get(PASSPORTS + "/" + Formats.url(id)),
        "",
        page.query("after").filter(text -> text.matches("[0-9]{1,18}")).orElse("0"));
  }

  private Response steps(
      OpenPage page, Connector connector, JsonObject passport, String key, String after) {
    String id = passport.text("agent_id");
    List<DecisionWords.Line> lines =
        decisions(page, id, LINES).stream()
            .filter(record ->
                record
                    .whole("log_index")
                    .filter(index -> index > Long.parseLong(after))
                    .isPresent())
            .map(record -> words.line(record, page.now()))
            .toList();
    String query = "after=" + after + "&connector=" + connector.id();
    return page.show(
        "console/connected.jte",
        "Connect " + connector.name(),
        shell ->
            new Steps(
                shell,
                connector,
                choice(passport),
                key,
                connector.commands(page.baseUrl(), id),
                PATH + "/" + Formats.url(id) + "?" + query,
                page.may("GET", "/api/audit")
                    ? "/console/live?agent_id=" + Formats.url(id) + "&after=" + after
                    : "",
                lines));
  }
}
