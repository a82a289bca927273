package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.ObserveMode;
import dev.safeconduct.passport.ObserveModes;
import java.util.List;
import java.util.Optional;

/** Begins and ends observe mode of the organization, or of one agent. */
public final class ObservePage {
  private static final String PAGE = "/console/observe";
  private static final String AGENT = "agent_id";
  private static final int MOST_DAYS = (int) ObserveMode.MOST.toDays();

  private final ObserveModes modes;

  ObservePage(ObserveModes modes) {
    this.modes = modes;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(PAGE, this::show),
        signIn.form(PAGE + "/begin", this::begin, this::show),
        signIn.form(PAGE + "/end", this::end, this::show));
  }

  /**
   * The page; {@code console/observe.jte}.
   *
   * @param agent the agent that it is about; empty for the organization
   * @param name of the agent or organization, which a person types to begin
   * @param now what applies now; absent if decisions are enforced
   * @param agents the agents that are observed on their own
   */
  public record Page(
      Layout shell,
      String agent,
      String name,
      Optional<Shown> now,
      List<Shown> agents,
      int mostDays) {}

  /** One observe mode. */
  public record Shown(String agent, Formats.When until, boolean money, String reason) {}

  private Response show(OpenPage page) {
    String agent = agent(page);
    JsonObject state = page.get(api(page, agent));
    String name = name(page, agent);
    Optional<Shown> now =
        state
            .object("observe")
            .map(mode ->
                new Shown(
                    agent,
                    page.when(mode.text("until")),
                    mode.isTrue("include_money"),
                    mode.text("reason")));
    List<Shown> agents =
        agent.isEmpty()
            ? modes.applying(new OrgId(page.org()), page.now()).stream()
                .filter(mode -> mode.agent().isPresent())
                .map(mode ->
                    new Shown(
                        mode.agent().get().value(),
                        page.when(mode.until().toString()),
                        mode.money(),
                        mode.reason()))
                .toList()
            : List.of();
    return page.show(
        "console/observe.jte",
        "Observe mode",
        shell -> new Page(shell, agent, name, now, agents, MOST_DAYS));
  }

  private static String name(OpenPage page, String agent) {
    return agent.isEmpty()
        ? page.orgName()
        : page.get("/api/passports/" + Formats.url(agent)).text("name");
  }

  private Response begin(OpenPage page) {
    String agent = agent(page);
    String api = api(page, agent);
    page.demand("PUT", api);
    page.confirm(name(page, agent));
    page.send(
        "PUT",
        api,
        JsonObject.builder()
            .put("mode", "observe")
            .put("days", new JsonNumber(days(page)))
            .put("include_money", JsonBoolean.of(page.field("include_money").isPresent()))
            .put("reason", page.entered("reason"))
            .build());
    return OpenPage.done(path(agent), FlashMessage.OBSERVED);
  }

  private static int days(OpenPage page) {
    try {
      return Integer.parseInt(page.entered("days").strip());
    } catch (NumberFormatException _) {
      throw ProblemException.invalid("days", "days is not a whole number.");
    }
  }

  private Response end(OpenPage page) {
    String agent = agent(page);
    page.send("DELETE", api(page, agent), JsonObject.EMPTY);
    return OpenPage.done(path(agent), FlashMessage.ENFORCED);
  }

  private static String path(String agent) {
    return agent.isEmpty() ? PAGE : PAGE + "?" + AGENT + "=" + Formats.url(agent);
  }

  private static String agent(OpenPage page) {
    return page.field(AGENT).or(() -> page.query(AGENT)).orElse("");
  }

  private static String api(OpenPage page, String agent) {
    return agent.isEmpty()
        ? "/api/orgs/" + Formats.url(page.org()) + "/mode"
        : "/api/passports/" + Formats.url(agent) + "/mode";
  }
}
