package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Map;

/** The agents by the privilege that they do not use, the widest first. */
public final class FleetPage {
  private static final String PAGE = "/console/fleet";
  private static final int ROWS = 50;

  private FleetPage() {}

  static List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page(PAGE, FleetPage::show));
  }

  /**
   * The page; {@code console/fleet.jte}.
   *
   * @param first the path of the first page; empty there
   * @param mayNarrow whether the reader may apply a suggestion
   */
  public record Page(
      Layout shell, List<Row> rows, String next, String first, boolean mayNarrow, String curl) {}

  /** An agent with its score. */
  public record Row(
      String path,
      String agentId,
      String name,
      String status,
      long score,
      String used,
      Formats.When lastUse,
      List<Part> parts) {}

  /** A part of a score: why it counts, and how much. */
  public record Part(String member, String label, String risk, long points, String why) {}

  private static final Map<String, String> LABELS =
      Map.of("unused", "unused capability", "open", "open list", "far", "cap far above the use");

  private static Response show(OpenPage page) {
    String api = "/api/fleet?limit=" + ROWS;
    JsonObject answer = page.get(api + page.cursor());
    List<Row> rows = answer.objects("agents").stream().map(agent -> row(page, agent)).toList();
    return page.show(
        "console/fleet.jte",
        "Fleet",
        shell ->
            new Page(
                shell,
                rows,
                OpenPage.next(PAGE, answer),
                page.cursor().isEmpty() ? "" : PAGE,
                page.may("PATCH", "/api/passports/x"),
                Curl.get(page, api)));
  }

  private static Row row(OpenPage page, JsonObject agent) {
    String id = agent.text("agent_id");
    return new Row(
        "/console/passports/" + Formats.url(id),
        id,
        Formats.clip(agent.text("name"), 80),
        agent.text("status"),
        agent.whole("score").orElse(0L),
        agent.whole("used").orElse(0L) + " of " + agent.whole("granted").orElse(0L),
        page.when(agent.text("last_use")),
        agent.objects("parts").stream().map(FleetPage::part).toList());
  }

  private static Part part(JsonObject part) {
    String reason = part.text("reason");
    return new Part(
        part.text("member"),
        LABELS.getOrDefault(reason, reason),
        part.text("risk"),
        part.whole("points").orElse(0L),
        part.text("why"));
  }
}
