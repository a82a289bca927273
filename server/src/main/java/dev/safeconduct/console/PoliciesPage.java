package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** The policies: built-in and hosted packs, with their versions and shadow runs. */
public final class PoliciesPage {
  private static final String LIST = "/console/policies";

  private final PolicyView story;

  PoliciesPage(PolicyView story) {
    this.story = story;
  }

  List<Route> routes(SignInPage signIn) {
    String one = LIST + "/{policy_id}";
    return List.of(
        signIn.page(LIST, this::list),
        signIn.page(one, this::detail),
        signIn.form(one + "/cases", this::cases),
        signIn.form(one + "/activate", page -> use(page, "activate", FlashMessage.POLICY_ACTIVE)),
        signIn.form(
            one + "/deprecate", page -> use(page, "deprecate", FlashMessage.POLICY_DEPRECATED)),
        signIn.form(one + "/shadow", page -> use(page, "shadow", FlashMessage.SHADOWED)),
        signIn.form(one + "/shadow-end", this::endShadow));
  }

  /** The list; {@code console/policies.jte}. */
  public record ListView(
      Layout shell, List<Row> own, List<Row> shared, boolean mayEdit, String curl) {}

  /** A policy in the list. */
  public record Row(String path, String id, String name, String about, String status) {}

  public static String own(OpenPage page) {
    return "/api/orgs/" + Formats.url(page.org()) + "/policies";
  }

  private Response list(OpenPage page) {
    List<Row> own =
        page.list(own(page) + "?limit=100", "policies").stream()
            .map(pack ->
                new Row(
                    LIST + "/" + Formats.url(pack.text("policy_id")),
                    pack.text("policy_id"),
                    pack.text("name"),
                    "version "
                        + pack.whole("latest_version").map(String::valueOf).orElse("?")
                        + pack.whole("active_version")
                            .map(n -> ", " + n + " active")
                            .orElse(", none active"),
                    pack.text("status")))
            .toList();
    List<Row> shared =
        page.bare("/api/policies").stream()
            .map(pack ->
                new Row(
                    LIST + "/" + Formats.url(pack.text("id")),
                    pack.text("id"),
                    pack.text("name"),
                    pack.text("description"),
                    Formats.count(pack.objects("evaluation_rules").size())))
            .toList();
    return page.show(
        "console/policies.jte",
        "Policies",
        shell ->
            new ListView(
                shell, own, shared, page.may("POST", own(page)), Curl.get(page, "/api/policies")));
  }

  private Response detail(OpenPage page) {
    return detail(page, "");
  }

  private Response detail(OpenPage page, String pasted) {
    String id = page.param("policy_id");
    return page.show("console/policy.jte", "Policy", shell -> story.page(page, shell, id, pasted));
  }

  /** Runs pasted cases, which are not stored. */
  private Response cases(OpenPage page) {
    String pasted = page.entered("cases");
    try {
      return detail(page, pasted);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> detail(page, pasted));
    }
  }

  private Response use(OpenPage page, String how, FlashMessage done) {
    String id = page.param("policy_id");
    JsonObject.Builder body = JsonObject.builder();
    Optional<String> version = page.field("version").filter(text -> text.matches("[0-9]{1,6}"));
    version.ifPresent(text -> body.put("version", Long.parseLong(text)));
    page.send("POST", own(page) + "/" + Formats.url(id) + "/" + how, body.build());
    return OpenPage.done(LIST + "/" + Formats.url(id), done);
  }

  private Response endShadow(OpenPage page) {
    String id = page.param("policy_id");
    page.send("DELETE", own(page) + "/" + Formats.url(id) + "/shadow", JsonObject.EMPTY);
    return OpenPage.done(LIST + "/" + Formats.url(id), FlashMessage.SHADOW_ENDED);
  }
}
