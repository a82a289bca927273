package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The passports: all of them, one of them, and its status. */
public final class PassportsPage {
  public static final List<String> STATUSES = List.of("active", "suspended", "draft", "revoked");

  private static final String LIST = "/console/passports";
  private static final int ROWS = 50;

  private final DoorPage door;
  private final PassportStory story;

  PassportsPage(DoorPage door, PassportStory story) {
    this.door = door;
    this.story = story;
  }

  List<Route> routes() {
    return List.of(
        door.page(LIST, this::list),
        door.page(LIST + "/{agent_id}", this::detail),
        door.form(LIST + "/{agent_id}/status", this::move),
        door.form(LIST + "/{agent_id}/instances", this::instance),
        door.form(LIST + "/{agent_id}/setup-key", this::setupKey));
  }

  /** The list; {@code console/passports.jte}. */
  public record ListView(
      Shell shell,
      String lead,
      String q,
      String status,
      List<Row> rows,
      String next,
      String first,
      boolean mayIssue,
      boolean mayStop,
      String curl) {
    public ListView {
      rows = List.copyOf(rows);
    }

    public boolean filtered() {
      return !q.isEmpty() || !status.isEmpty() || !first.isEmpty();
    }
  }

  /** A passport in the list. */
  public record Row(
      String path,
      String agentId,
      String name,
      String status,
      String assurance,
      String abilities,
      Show.When issued) {}

  private Response list(OpenPage page) {
    String q = page.query("q").orElse("");
    String status = page.query("status").filter(STATUSES::contains).orElse("");
    String filters =
        (q.isEmpty() ? "" : "&q=" + Show.url(Show.clip(q, 200)))
            + (status.isEmpty() ? "" : "&status=" + status);
    String here = LIST + "?" + (filters.isEmpty() ? "" : filters.substring(1));
    String request = "/api/passports?limit=" + ROWS + filters;
    String cursor = page.query("cursor").orElse("");
    String target = request + (cursor.isEmpty() ? "" : "&cursor=" + Show.url(cursor));
    JsonObject answer = page.get(target);
    Map<String, String> names = story.capabilityNames(page);
    List<Row> rows =
        Read.objects(answer, "passports").stream().map(p -> row(page, p, names)).toList();
    String next = answer.string("next_cursor").map(c -> here + "&cursor=" + Show.url(c)).orElse("");
    String lead =
        rows.isEmpty()
            ? "A passport says what an agent may do, and how much."
            : (next.isEmpty() && cursor.isEmpty()
                    ? Show.count(rows.size(), "passport", "passports")
                    : "The newest " + rows.size() + " of more passports")
                + ". Suspend one, and its next question is denied.";
    return page.show(
        "console/passports.jte",
        "Passports",
        shell ->
            new ListView(
                shell,
                lead,
                q,
                status,
                rows,
                next,
                cursor.isEmpty() ? "" : here,
                page.may("POST", "/api/passports"),
                page.may("PUT", "/api/passports/x/status"),
                Curl.get(page, request)));
  }

  private static Row row(OpenPage page, JsonObject passport, Map<String, String> names) {
    String id = Read.text(passport, "agent_id");
    List<String> abilities =
        Read.objects(passport, "capabilities").stream()
            .map(capability -> Read.text(capability, "id"))
            .map(capability -> names.getOrDefault(capability, capability))
            .toList();
    String shown = String.join(", ", abilities.subList(0, Math.min(3, abilities.size())));
    return new Row(
        LIST + "/" + Show.url(id),
        id,
        Show.clip(Read.text(passport, "name"), 80),
        Read.text(passport, "status"),
        Read.text(passport, "assurance_level"),
        abilities.isEmpty()
            ? "nothing"
            : abilities.size() > 3 ? shown + " and " + (abilities.size() - 3) + " more" : shown,
        Show.when(Read.text(passport, "created_at"), page.now()));
  }

  /** One passport; {@code console/passport.jte}. */
  public record Detail(
      Shell shell,
      String path,
      String agentId,
      String name,
      String status,
      String lead,
      String activity,
      List<Move> moves,
      List<Fact> facts,
      List<Ability> abilities,
      List<String> mayNot,
      List<Event> history,
      boolean mayEdit,
      boolean mayInstance,
      boolean mayAudit,
      String curl) {
    public Detail {
      moves = List.copyOf(moves);
      facts = List.copyOf(facts);
      abilities = List.copyOf(abilities);
      mayNot = List.copyOf(mayNot);
      history = List.copyOf(history);
    }
  }

  /** A change of status that is possible, and what it would do. */
  public record Move(
      String status,
      String name,
      String now,
      String kind,
      String consequence,
      String example,
      boolean needsReason,
      boolean typed,
      boolean open) {}

  /** Something known of the passport. */
  public record Fact(String name, String value) {}

  /** A capability with its limits. */
  public record Ability(String id, String name, String description, List<Fact> limits) {
    public Ability {
      limits = List.copyOf(limits);
    }
  }

  /** Something that has happened to the passport. */
  public record Event(String what, String why, String who, Show.When at) {}

  private Response detail(OpenPage page) {
    String id = page.request().pathParam("agent_id");
    JsonObject passport = page.get("/api/passports/" + Show.url(id));
    return page.show(
        "console/passport.jte",
        Show.clip(Read.text(passport, "name"), 60),
        shell -> story.detail(page, shell, passport));
  }

  private Response move(OpenPage page) {
    String id = page.request().pathParam("agent_id");
    String status = page.field("status").orElse("");
    if (status.equals("revoked") && !page.field("sure").orElse("").equals("revoke")) {
      throw Problem.invalid("sure", "Type revoke to go on; this cannot be undone.").toException();
    }
    JsonObject.Builder body = JsonObject.builder().put("status", status);
    page.field("reason").ifPresent(reason -> body.put("reason", reason));
    page.send("PUT", "/api/passports/" + Show.url(id) + "/status", body.build());
    return OpenPage.done(
        LIST + "/" + Show.url(id),
        switch (status) {
          case "suspended" -> Done.SUSPENDED;
          case "revoked" -> Done.REVOKED;
          default -> Done.ACTIVATED;
        });
  }

  private Response instance(OpenPage page) {
    String id = page.request().pathParam("agent_id");
    JsonObject made =
        page.send(
            "POST",
            "/api/passports/" + Show.url(id) + "/instances",
            JsonObject.builder().put("name", page.field("name").orElse("")).build());
    return OpenPage.done(LIST + "/" + Show.url(Read.text(made, "agent_id")), Done.INSTANCE_MADE);
  }

  private Response setupKey(OpenPage page) {
    String id = page.request().pathParam("agent_id");
    JsonObject made =
        page.send("POST", "/api/passports/" + Show.url(id) + "/setup-key", JsonObject.EMPTY);
    String key = Read.text(made, "key");
    return page.show(
        "console/secret.jte",
        "The setup key",
        shell ->
            new Secret(
                shell,
                "The setup key",
                "For this agent alone: it asks for decisions, and nothing else.",
                key,
                Curl.verify(
                    page.baseUrl(),
                    key,
                    "system.command.execute.v1",
                    List.of("command", "git status")),
                LIST + "/" + Show.url(id)));
  }

  /** Everything but what stands in the list. */
  static List<String> without(List<String> all, List<String> some) {
    var rest = new ArrayList<>(all);
    rest.removeAll(some);
    return rest;
  }
}
