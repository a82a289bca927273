package dev.safeconduct.console;

import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.IndentedJson;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** The policies: built-in and hosted packs, with the editor and the trial. */
public final class PoliciesPage {
  private static final String LIST = "/console/policies";

  private final SignInPage signIn;
  private final PolicyView story;

  PoliciesPage(SignInPage signIn, PolicyView story) {
    this.signIn = signIn;
    this.story = story;
  }

  List<Route> routes() {
    String one = LIST + "/{policy_id}";
    return List.of(
        signIn.page(LIST, this::list),
        signIn.page(
            LIST + "/edit",
            page ->
                editor(page, page.query("from").map(id -> source(page, id)).orElse(""), List.of())),
        signIn.form(LIST + "/edit", this::save),
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
      Layout shell, List<Row> own, List<Row> shared, boolean mayEdit, String curl) {
    public ListView {
      own = List.copyOf(own);
      shared = List.copyOf(shared);
    }
  }

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
                    LIST + "/" + Formats.url(AnswerReader.text(pack, "policy_id")),
                    AnswerReader.text(pack, "policy_id"),
                    AnswerReader.text(pack, "name"),
                    "version "
                        + AnswerReader.whole(pack, "latest_version")
                            .map(String::valueOf)
                            .orElse("?")
                        + AnswerReader.whole(pack, "active_version")
                            .map(n -> ", " + n + " active")
                            .orElse(", none active"),
                    AnswerReader.text(pack, "status")))
            .toList();
    List<Row> shared =
        page.bare("/api/policies").stream()
            .map(pack ->
                new Row(
                    LIST + "/" + Formats.url(AnswerReader.text(pack, "id")),
                    AnswerReader.text(pack, "id"),
                    AnswerReader.text(pack, "name"),
                    AnswerReader.text(pack, "description"),
                    Formats.count(
                        AnswerReader.objects(pack, "evaluation_rules").size(), "rule", "rules")))
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
    String id = page.request().pathParam("policy_id");
    return page.show("console/policy.jte", "Policy", shell -> story.page(page, shell, id, pasted));
  }

  /** Runs pasted cases, which are not stored. */
  private Response cases(OpenPage page) {
    String pasted = page.field("cases").orElse("");
    try {
      return detail(page, pasted);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> detail(page, pasted));
    }
  }

  /** The editor; {@code console/policy-edit.jte}. */
  public record Editor(Layout shell, String text, List<String> faults) {
    public Editor {
      faults = List.copyOf(faults);
    }
  }

  private static String source(OpenPage page, String id) {
    return page.find("/api/policies/" + Formats.url(id))
        .map(pack -> IndentedJson.text(pack.without("policy_id")))
        .orElse("");
  }

  private Response editor(OpenPage page, String text, List<String> faults) {
    page.demand("POST", own(page));
    return page.show(
        "console/policy-edit.jte", "Write a policy", shell -> new Editor(shell, text, faults));
  }

  private Response save(OpenPage page) {
    String text = page.field("text").orElse("");
    try {
      JsonObject pack = parsed(text);
      if (page.field("do").orElse("").equals("check")) {
        JsonObject checked = page.send("POST", "/api/policies/validate", pack);
        return editor(
            page,
            text,
            List.of(
                "✓ No errors: "
                    + AnswerReader.whole(checked, "rules")
                        .map(n -> Formats.count(n, "rule", "rules"))
                        .orElse("")
                    + "."));
      }
      String id = AnswerReader.text(pack, "id");
      boolean known = page.find(own(page) + "/" + Formats.url(id)).isPresent();
      page.send(known ? "PUT" : "POST", own(page) + (known ? "/" + Formats.url(id) : ""), pack);
      return OpenPage.done(LIST + "/" + Formats.url(id), FlashMessage.POLICY_SAVED);
    } catch (ProblemException e) {
      List<String> faults =
          e.problem() instanceof Problem.InvalidPolicy policy
              ? policy.faults().stream().map(PolicyFault::text).toList()
              : List.of(e.problem().message());
      return editor(page, text, faults);
    }
  }

  private static JsonObject parsed(String text) {
    try {
      return Json.parse(text) instanceof JsonObject object ? object : JsonObject.EMPTY;
    } catch (JsonFault e) {
      throw Problem.invalid(
              "text", e.getMessage() == null ? "This is not valid JSON." : e.getMessage())
          .toException();
    }
  }

  private Response use(OpenPage page, String how, FlashMessage done) {
    String id = page.request().pathParam("policy_id");
    JsonObject.Builder body = JsonObject.builder();
    Optional<String> version = page.field("version").filter(text -> text.matches("[0-9]{1,6}"));
    version.ifPresent(text -> body.put("version", Long.parseLong(text)));
    page.send("POST", own(page) + "/" + Formats.url(id) + "/" + how, body.build());
    return OpenPage.done(LIST + "/" + Formats.url(id), done);
  }

  private Response endShadow(OpenPage page) {
    String id = page.request().pathParam("policy_id");
    page.send("DELETE", own(page) + "/" + Formats.url(id) + "/shadow", JsonObject.EMPTY);
    return OpenPage.done(LIST + "/" + Formats.url(id), FlashMessage.SHADOW_ENDED);
  }
}
