package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** API keys: creating them (a key is shown once), rotating and revoking them. */
public final class KeysPage {
  private static final String LIST = "/console/keys";
  private static final int ROWS = 100;
  private static final Duration UNUSED = Duration.ofDays(90);

  private KeysPage() {}

  static List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(LIST, KeysPage::show),
        signIn.form(LIST, KeysPage::create, KeysPage::show),
        signIn.form(LIST + "/{key_id}/edit", KeysPage::edit, KeysPage::show),
        signIn.form(LIST + "/{key_id}/rotate", KeysPage::rotate),
        signIn.form(LIST + "/{key_id}/revoke", KeysPage::revoke, KeysPage::show));
  }

  /** The page; {@code console/keys.jte}. */
  public record KeyList(
      Layout shell, String lead, List<Row> rows, List<Scoped> scopes, String next, String curl) {}

  /**
   * A key in the list.
   *
   * @param used when it was last used; empty when no use is stored
   * @param noUse what stands in place of that time
   * @param unused whether it was neither used nor created within 90 days
   */
  public record Row(
      String id,
      String name,
      String hint,
      List<String> scopes,
      String expires,
      String sources,
      String agent,
      String agentName,
      Formats.When made,
      List<Formats.When> used,
      String noUse,
      boolean unused,
      String state,
      boolean usable) {}

  /** A scope to select. */
  public record Scoped(String wire, String means) {}

  private static Response show(OpenPage page) {
    String api = api(page);
    JsonObject answer = page.get(api + "?limit=" + ROWS + page.cursor());
    List<Row> rows = answer.objects("keys").stream().map(key -> row(key, page)).toList();
    long usable = rows.stream().filter(Row::usable).count();
    return page.show(
        "console/keys.jte",
        "Keys",
        shell ->
            new KeyList(
                shell,
                rows.isEmpty()
                    ? "No API keys yet. Programs authenticate with an API key."
                    : Formats.count(usable, "active key", "active keys")
                        + page.ofPage(answer)
                        + ". Only hashes are stored, so a key cannot be shown again.",
                rows,
                Arrays.stream(Scope.values())
                    .map(scope -> new Scoped(scope.wire(), means(scope)))
                    .toList(),
                OpenPage.next(LIST, answer),
                Curl.get(page, api)));
  }

  private static String api(OpenPage page) {
    return "/api/orgs/" + Formats.url(page.org()) + "/keys";
  }

  private static Row row(JsonObject key, OpenPage page) {
    String state = state(key, page, "ends ");
    return new Row(
        key.text("key_id"),
        key.text("name"),
        key.text("hint"),
        key.texts("scopes"),
        key.string("expires_at").map(at -> Formats.clip(at, 11).substring(0, 10)).orElse(""),
        String.join("\n", key.texts("allowed_sources")),
        key.text("agent_id"),
        key.string("agent_id").map(page::agentName).orElse(""),
        page.when(key.text("created_at")),
        key.string("last_used_at").map(at -> page.when(at)).stream().toList(),
        key.string("created_by").isPresent() ? "never" : "unknown",
        isUnused(key, page.now()),
        state,
        isUsable(state));
  }

  /** Returns the state of a key or token; {@code ends}: the words before the time of its end. */
  static String state(JsonObject key, OpenPage page, String ends) {
    if (key.present("revoked_at") != null) {
      return "revoked";
    }
    String now = page.now().toString();
    return key.string("expires_at")
        .map(at -> at.compareTo(now) <= 0 ? "expired" : ends + page.when(at).ago())
        .orElse("active");
  }

  static boolean isUsable(String state) {
    return !state.equals("revoked") && !state.equals("expired");
  }

  /** The use of keys that say nothing of their creator was not stored in their first days. */
  private static boolean isUnused(JsonObject key, Instant now) {
    String last =
        key.string("last_used_at")
            .or(() -> key.string("created_by").flatMap(_ -> key.string("created_at")))
            .orElse("");
    return IsoInstant.parse(last).filter(at -> at.plus(UNUSED).isBefore(now)).isPresent();
  }

  /** Returns the beginning of a day in UTC. */
  static String midnight(String day) {
    return day + "T00:00:00Z";
  }

  private static String means(Scope scope) {
    return switch (scope) {
      case READ -> "request decisions, read passports";
      case ISSUE -> "issue passports and setup keys";
      case UPDATE -> "change passports";
      case STATUS -> "suspend, activate and revoke passports";
      case LIST_AGENTS -> "list passports";
      case READ_AUDIT -> "read decisions and the audit log";
      case MANAGE_WEBHOOKS -> "manage webhook endpoints, resend deliveries";
      case MANAGE_KEYS -> "create and revoke keys";
    };
  }

  private static Response create(OpenPage page) {
    JsonObject.Builder body =
        JsonObject.builder()
            .put("name", page.entered("name"))
            .put("scopes", JsonArray.ofStrings(page.request().formFields("scopes")))
            .putIfPresent("expires_at", page.field("expires_on").map(KeysPage::midnight));
    return secret(page, "New key", page.send("POST", api(page), body.build()));
  }

  /** Changes what differs from the key; a key can only lose scopes. */
  private static Response edit(OpenPage page) {
    JsonObject key = page.get(api(page) + "/" + id(page));
    JsonObject.Builder body =
        JsonObject.builder()
            .put("name", page.entered("name"))
            .put(
                "allowed_sources",
                JsonArray.ofStrings(page.entered("sources").lines().map(String::strip).toList()));
    if (page.sent("scoped")) {
      body.put("scopes", JsonArray.ofStrings(page.request().formFields("scopes")));
    }
    String before = key.string("expires_at").map(at -> at.substring(0, 10)).orElse("");
    String wanted = page.entered("expires_on");
    if (!wanted.equals(before)) {
      body.put("expires_at", wanted.isEmpty() ? JsonNull.NULL : new JsonString(midnight(wanted)));
    }
    page.send("PATCH", api(page) + "/" + id(page), body.build());
    return OpenPage.done(LIST, FlashMessage.KEY_CHANGED);
  }

  private static Response rotate(OpenPage page) {
    JsonObject.Builder body = JsonObject.builder();
    page.field("grace_seconds")
        .filter(text -> text.matches("[0-9]{1,6}"))
        .ifPresent(text -> body.put("grace_seconds", Long.parseLong(text)));
    return secret(
        page,
        "Replacement key",
        page.send("POST", api(page) + "/" + id(page) + "/rotate", body.build()));
  }

  private static Response secret(OpenPage page, String title, JsonObject minted) {
    String key = minted.text("key");
    return page.secret(
        title,
        "“%s” with %s. Only its hash is stored."
            .formatted(minted.text("name"), String.join(", ", minted.texts("scopes"))),
        key,
        Curl.get(page.baseUrl() + "/api/auth/me", "X-API-Key: " + key),
        LIST);
  }

  private static Response revoke(OpenPage page) {
    page.confirmRevocation();
    page.send("DELETE", api(page) + "/" + id(page), JsonObject.EMPTY);
    return OpenPage.done(LIST, FlashMessage.KEY_REVOKED);
  }

  private static String id(OpenPage page) {
    return Formats.url(page.param("key_id"));
  }
}
