package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Map;

/** The passports: the list, the page of one passport, and changes of its status. */
public final class PassportsPage {
  public static final List<String> STATUSES = List.of("active", "suspended", "draft", "revoked");

  private static final String LIST = "/console/passports";
  private static final String ASSURANCE = "/api/admin/assurance";
  private static final int ROWS = 50;

  private final PassportView story;

  PassportsPage(PassportView story) {
    this.story = story;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(LIST, this::list),
        signIn.page(LIST + "/{agent_id}", this::detail),
        signIn.form(LIST + "/{agent_id}/status", this::move),
        signIn.form(LIST + "/{agent_id}/assurance", this::assure, this::detail),
        signIn.form(LIST + "/{agent_id}/instances", this::instance),
        signIn.form(LIST + "/{agent_id}/setup-key", this::setupKey));
  }

  /** The list; {@code console/passports.jte}. */
  public record ListView(
      Layout shell,
      String lead,
      String q,
      String status,
      List<Row> rows,
      String next,
      String first,
      boolean mayIssue,
      boolean mayStop,
      String curl) {
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
      boolean expired,
      String assurance,
      String abilities,
      Formats.When issued) {}

  private Response list(OpenPage page) {
    String q = page.query("q").orElse("");
    String status = page.query("status").filter(STATUSES::contains).orElse("");
    String filters =
        (q.isEmpty() ? "" : "&q=" + Formats.url(Formats.clip(q, 200)))
            + (status.isEmpty() ? "" : "&status=" + status);
    String here = filters.isEmpty() ? LIST : LIST + "?" + filters.substring(1);
    String request = "/api/passports?limit=" + ROWS + filters;
    JsonObject answer = page.get(request + page.cursor());
    Map<String, String> names = story.capabilityNames(page);
    List<Row> rows = answer.objects("passports").stream().map(p -> row(page, p, names)).toList();
    String lead =
        rows.isEmpty()
            ? "A passport states what an agent may do, and its limits."
            : (page.ofPage(answer).isEmpty()
                    ? Formats.count(rows.size(), "passport", "passports")
                    : "The newest " + rows.size() + " passports")
                + ". Suspend one to deny its next request.";
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
                OpenPage.next(here, answer),
                page.cursor().isEmpty() ? "" : here,
                page.may("POST", "/api/passports"),
                page.may("PUT", "/api/passports/x/status"),
                Curl.get(page, request)));
  }

  private static Row row(OpenPage page, JsonObject passport, Map<String, String> names) {
    String id = passport.text("agent_id");
    List<String> abilities =
        passport.objects("capabilities").stream()
            .map(capability -> capability.text("id"))
            .map(capability -> names.getOrDefault(capability, capability))
            .toList();
    String shown = String.join(", ", abilities.subList(0, Math.min(3, abilities.size())));
    return new Row(
        LIST + "/" + Formats.url(id),
        id,
        Formats.clip(passport.text("name"), 80),
        passport.text("status"),
        PassportView.isExpired(page, passport),
        passport.text("assurance_level"),
        abilities.isEmpty()
            ? "nothing"
            : abilities.size() > 3 ? shown + " and " + (abilities.size() - 3) + " more" : shown,
        page.when(passport.text("created_at")));
  }

  /** One passport; {@code console/passport.jte}. */
  public record Detail(
      Layout shell,
      String path,
      String agentId,
      String name,
      String status,
      boolean expired,
      String lead,
      String activity,
      List<Move> moves,
      List<Fact> facts,
      List<Ability> abilities,
      List<String> mayNot,
      Assurance assurance,
      List<Quota> quotas,
      List<Event> history,
      boolean mayEdit,
      boolean mayInstance,
      boolean mayAudit,
      boolean mayObserve,
      String curl) {}

  /**
   * The use of a counted limit.
   *
   * @param used the used and the highest value, for people
   * @param share the used percentage, at most 100
   * @param reset when it counts from the start again, or which time it counts
   */
  public record Quota(String name, String policy, String used, int share, String reset) {}

  /**
   * A possible change of status, and its effect.
   *
   * @param permanent whether it needs a reason and a typed confirmation
   */
  public record Move(
      String status,
      String name,
      String now,
      String kind,
      String consequence,
      String example,
      boolean permanent,
      boolean open) {}

  /** A property of the passport. */
  public record Fact(String name, String value) {}

  /** A capability with its limits. */
  public record Ability(String id, String name, String description, List<Fact> limits) {}

  /**
   * The assurance level.
   *
   * @param denied which packs deny every request because of it, in sentences
   * @param settable the levels that the reader may set
   */
  public record Assurance(String level, List<String> denied, List<String> settable) {}

  /** An event in the passport's history. */
  public record Event(String what, String why, Actors.Actor who, Formats.When at) {}

  /** The evidence is free text here; the API takes an object. */
  private Response assure(OpenPage page) {
    String id = page.param("agent_id");
    page.demand("POST", ASSURANCE);
    JsonObject.Builder body =
        JsonObject.builder()
            .put("agent_id", id)
            .put("assurance_level", page.entered("assurance_level"))
            .put("method", page.entered("method"));
    page.field("evidence").ifPresent(text -> body.put("evidence", JsonObject.of("note", text)));
    page.send("POST", ASSURANCE, body.build());
    return OpenPage.done(LIST + "/" + Formats.url(id), FlashMessage.ASSURED);
  }

  private Response detail(OpenPage page) {
    String id = page.param("agent_id");
    JsonObject passport = page.get("/api/passports/" + Formats.url(id));
    return page.show(
        "console/passport.jte",
        Formats.clip(passport.text("name"), 60),
        shell -> story.detail(page, shell, passport));
  }

  private Response move(OpenPage page) {
    String id = page.param("agent_id");
    String status = page.entered("status");
    if (status.equals("revoked")) {
      page.confirmRevocation();
    }
    page.send(
        "PUT",
        "/api/passports/" + Formats.url(id) + "/status",
        JsonObject.builder()
            .put("status", status)
            .putIfPresent("reason", page.field("reason"))
            .build());
    return OpenPage.done(
        LIST + "/" + Formats.url(id),
        switch (status) {
          case "suspended" -> FlashMessage.SUSPENDED;
          case "revoked" -> FlashMessage.REVOKED;
          default -> FlashMessage.ACTIVATED;
        });
  }

  private Response instance(OpenPage page) {
    String id = page.param("agent_id");
    JsonObject made =
        page.send(
            "POST",
            "/api/passports/" + Formats.url(id) + "/instances",
            JsonObject.of("name", page.entered("name")));
    return OpenPage.done(
        LIST + "/" + Formats.url(made.text("agent_id")), FlashMessage.INSTANCE_MADE);
  }

  private Response setupKey(OpenPage page) {
    String id = page.param("agent_id");
    String key = page.setupKey(id);
    return page.secret(
        "Setup key",
        "Limited to this agent: it can request decisions and read its own passport. Only its"
            + " hash is stored.",
        key,
        Curl.verify(page.baseUrl(), key, "git status"),
        LIST + "/" + Formats.url(id));
  }
}
