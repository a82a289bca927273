package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.ProblemException;
import java.util.Arrays;
import java.util.List;

/** API keys: made (and then shown once), rotated, revoked. */
public final class KeysPage {
  private static final String LIST = "/console/keys";
  private static final int ROWS = 100;

  private final DoorPage door;

  KeysPage(DoorPage door) {
    this.door = door;
  }

  List<Route> routes() {
    return List.of(
        door.page(LIST, this::show),
        door.form(LIST, this::create),
        door.form(LIST + "/{key_id}/rotate", this::rotate),
        door.form(LIST + "/{key_id}/revoke", this::revoke));
  }

  /** The page; {@code console/keys.jte}. */
  public record View(
      Shell shell, String lead, List<Row> rows, List<Scoped> scopes, String next, String curl) {
    public View {
      rows = List.copyOf(rows);
      scopes = List.copyOf(scopes);
    }
  }

  /** A key in the list. */
  public record Row(
      String id,
      String name,
      String hint,
      String scopes,
      String agent,
      Show.When made,
      String state,
      boolean usable) {}

  /** A scope to tick. */
  public record Scoped(String wire, String means) {}

  private Response show(OpenPage page) {
    String api = api(page);
    JsonObject answer =
        page.get(
            api
                + "?limit="
                + ROWS
                + page.query("cursor").map(c -> "&cursor=" + Show.url(c)).orElse(""));
    List<Row> rows = Read.objects(answer, "keys").stream().map(key -> row(key, page)).toList();
    long usable = rows.stream().filter(Row::usable).count();
    return page.show(
        "console/keys.jte",
        "Keys",
        shell ->
            new View(
                shell,
                rows.isEmpty()
                    ? "Programs ask with an API key. There is none yet."
                    : Show.count(usable, "key works", "keys work")
                        + ". Only a hash of each is stored, so none can be shown again.",
                rows,
                Arrays.stream(Scope.values())
                    .map(scope -> new Scoped(scope.wire(), means(scope)))
                    .toList(),
                answer.string("next_cursor").map(c -> LIST + "?cursor=" + Show.url(c)).orElse(""),
                Curl.get(page, api)));
  }

  private static String api(OpenPage page) {
    return "/api/orgs/" + Show.url(page.org()) + "/keys";
  }

  private static Row row(JsonObject key, OpenPage page) {
    String state =
        key.present("revoked_at") != null
            ? "revoked"
            : key.string("expires_at")
                .map(at ->
                    at.compareTo(page.now().toString()) <= 0
                        ? "expired"
                        : "ends " + Show.when(at, page.now()).ago())
                .orElse("works");
    return new Row(
        Read.text(key, "key_id"),
        Read.text(key, "name"),
        Read.text(key, "hint"),
        String.join(", ", Read.texts(key, "scopes")),
        Read.text(key, "agent_id"),
        Show.when(Read.text(key, "created_at"), page.now()),
        state,
        !state.equals("revoked") && !state.equals("expired"));
  }

  private static String means(Scope scope) {
    return switch (scope) {
      case READ -> "ask for decisions, read passports";
      case ISSUE -> "issue passports and setup keys";
      case UPDATE -> "change passports";
      case STATUS -> "suspend, activate and revoke";
      case LIST_AGENTS -> "list passports";
      case READ_AUDIT -> "read decisions and the audit log";
      case MANAGE_WEBHOOKS -> "receivers and deliveries";
      case MANAGE_KEYS -> "make and revoke keys";
    };
  }

  private Response create(OpenPage page) {
    JsonObject.Builder body =
        JsonObject.builder()
            .put("name", page.field("name").orElse(""))
            .put("scopes", JsonArray.ofStrings(page.request().formFields("scopes")));
    page.field("expires_on").ifPresent(day -> body.put("expires_at", day + "T00:00:00Z"));
    try {
      return secret(page, "The new key", page.send("POST", api(page), body.build()));
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> show(page));
    }
  }

  private Response rotate(OpenPage page) {
    JsonObject.Builder body = JsonObject.builder();
    page.field("grace_seconds")
        .filter(text -> text.matches("[0-9]{1,6}"))
        .ifPresent(text -> body.put("grace_seconds", Long.parseLong(text)));
    return secret(
        page,
        "The key that takes over",
        page.send("POST", api(page) + "/" + id(page) + "/rotate", body.build()));
  }

  private Response secret(OpenPage page, String title, JsonObject minted) {
    String key = Read.text(minted, "key");
    return page.show(
        "console/secret.jte",
        title,
        shell ->
            new Secret(
                shell,
                title,
                "“"
                    + Read.text(minted, "name")
                    + "” with "
                    + String.join(", ", Read.texts(minted, "scopes"))
                    + ".",
                key,
                "curl -s "
                    + Curl.quoted(page.baseUrl() + "/api/auth/me")
                    + " -H "
                    + Curl.quoted("X-API-Key: " + key),
                LIST));
  }

  private Response revoke(OpenPage page) {
    page.send("DELETE", api(page) + "/" + id(page), JsonObject.EMPTY);
    return OpenPage.done(LIST, Done.KEY_REVOKED);
  }

  private static String id(OpenPage page) {
    return Show.url(page.request().pathParam("key_id"));
  }
}
