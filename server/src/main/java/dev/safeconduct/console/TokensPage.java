package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** Operators' tokens: creating them (a token is shown once) and revoking them. */
public final class TokensPage {
  private static final String LIST = "/console/tokens";
  private static final String API = "/api/admin/tokens";
  private static final int ROWS = 100;

  private TokensPage() {}

  static List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(LIST, TokensPage::show),
        signIn.form(LIST, TokensPage::create, TokensPage::show),
        signIn.form(LIST + "/{token_id}/revoke", TokensPage::revoke, TokensPage::show));
  }

  /** The page; {@code console/tokens.jte}. */
  public record TokenList(
      Layout shell,
      String lead,
      List<Row> rows,
      List<PeoplePage.Means> roles,
      List<PeoplePage.Means> rights,
      List<Choice> orgs,
      String next,
      String curl) {}

  /** One of the first organizations, which are offered; others can be typed. */
  public record Choice(String id, String name) {}

  /**
   * A token in the list.
   *
   * @param used when it was last used; empty if it was not
   */
  public record Row(
      String id,
      String name,
      String hint,
      String role,
      Actors.Actor by,
      Formats.When made,
      List<Formats.When> used,
      String state,
      boolean usable) {}

  /** What a deploy token may change by files beside packs and passports. */
  private static final List<PeoplePage.Means> RIGHTS =
      List.of(
          new PeoplePage.Means("webhooks", "create, change and delete webhooks"),
          new PeoplePage.Means("retention", "set how long contexts are kept"),
          new PeoplePage.Means(
              "withdraw", "withdraw policies, and suspend passports that the files leave out"));

  private static List<PeoplePage.Means> roles() {
    return List.of(
        new PeoplePage.Means("operator", "everything an operator may do"),
        new PeoplePage.Means("read_only", "reads everything, changes nothing"),
        new PeoplePage.Means("deploy", "manages one organization, for example from a pipeline"));
  }

  private static Response show(OpenPage page) {
    JsonObject answer = page.asOperator("GET", API + "?limit=" + ROWS + page.cursor());
    List<Row> rows = answer.objects("tokens").stream().map(token -> row(token, page)).toList();
    long usable = rows.stream().filter(Row::usable).count();
    return page.show(
        "console/tokens.jte",
        "Operator tokens",
        shell ->
            new TokenList(
                shell,
                rows.isEmpty()
                    ? "No operator tokens yet. Create one for each person or program that operates"
                        + " the service."
                    : Formats.count(usable, "active token", "active tokens")
                        + page.ofPage(answer)
                        + ". Only hashes are stored, so a token cannot be shown again.",
                rows,
                roles(),
                RIGHTS,
                page.get("/api/orgs?limit=200").objects("orgs").stream()
                    .map(org -> new Choice(org.text("org_id"), org.text("name")))
                    .toList(),
                OpenPage.next(LIST, answer),
                Curl.get(page, API)));
  }

  private static Row row(JsonObject token, OpenPage page) {
    String state = KeysPage.state(token, page, "expires ");
    return new Row(
        token.text("token_id"),
        token.text("name"),
        token.text("hint"),
        token.text("role") + token.string("org_id").map(org -> " of " + org).orElse(""),
        page.actor(token.text("created_by")),
        page.when(token.text("created_at")),
        token.string("last_used_at").map(at -> page.when(at)).stream().toList(),
        state,
        KeysPage.isUsable(state));
  }

  private static Response create(OpenPage page) {
    JsonObject.Builder body =
        JsonObject.builder().put("name", page.entered("name")).put("role", page.entered("role"));
    if (page.entered("role").equals("deploy")) {
      body.putIfPresent("org_id", page.field("org_id"));
      body.put(
          "may",
          JsonArray.ofStrings(
              RIGHTS.stream()
                  .map(PeoplePage.Means::wire)
                  .filter(right -> page.field("may_" + right).isPresent())
                  .toList()));
    }
    body.putIfPresent("expires_at", page.field("expires_on").map(KeysPage::midnight));
    JsonObject made = page.asOperator("POST", API, body.build());
    String token = made.text("token");
    return page.secret(
        "New operator token",
        "“%s” with the role %s. Only its hash is stored."
            .formatted(made.text("name"), made.text("role")),
        token,
        Curl.get(page.baseUrl() + "/api/admin/tokens", "Authorization: Bearer " + token),
        LIST);
  }

  private static Response revoke(OpenPage page) {
    page.confirmRevocation();
    page.asOperator("DELETE", API + "/" + Formats.url(page.param("token_id")), JsonObject.EMPTY);
    return OpenPage.done(LIST, FlashMessage.TOKEN_REVOKED);
  }
}
