package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.PolicyFault;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.List;
import java.util.Optional;

/** The policies: everybody's packs and the organization's own, with editor and trial. */
public final class PoliciesPage {
  private static final String LIST = "/console/policies";

  private final DoorPage door;
  private final PolicyStory story;

  PoliciesPage(DoorPage door, PolicyStory story) {
    this.door = door;
    this.story = story;
  }

  List<Route> routes() {
    String one = LIST + "/{policy_id}";
    return List.of(
        door.page(LIST, this::list),
        door.page(
            LIST + "/edit",
            page ->
                editor(page, page.query("from").map(id -> source(page, id)).orElse(""), List.of())),
        door.form(LIST + "/edit", this::save),
        door.page(one, this::detail),
        door.form(one + "/cases", this::cases),
        door.form(one + "/activate", page -> use(page, "activate", Done.POLICY_ACTIVE)),
        door.form(one + "/deprecate", page -> use(page, "deprecate", Done.POLICY_DEPRECATED)),
        door.form(one + "/shadow", page -> use(page, "shadow", Done.SHADOWED)),
        door.form(one + "/shadow-end", this::endShadow));
  }

  /** The list; {@code console/policies.jte}. */
  public record ListView(
      Shell shell, List<Row> own, List<Row> shared, boolean mayEdit, String curl) {
    public ListView {
      own = List.copyOf(own);
      shared = List.copyOf(shared);
    }
  }

  /** A policy in the list. */
  public record Row(String path, String id, String name, String about, String status) {}

  static String own(OpenPage page) {
    return "/api/orgs/" + Show.url(page.org()) + "/policies";
  }

  private Response list(OpenPage page) {
    List<Row> own =
        page.list(own(page) + "?limit=100", "policies").stream()
            .map(pack ->
                new Row(
                    LIST + "/" + Show.url(Read.text(pack, "policy_id")),
                    Read.text(pack, "policy_id"),
                    Read.text(pack, "name"),
                    "version "
                        + Read.whole(pack, "latest_version").map(String::valueOf).orElse("?")
                        + Read.whole(pack, "active_version")
                            .map(n -> ", " + n + " in force")
                            .orElse(", none in force"),
                    Read.text(pack, "status")))
            .toList();
    List<Row> shared =
        page.bare("/api/policies").stream()
            .map(pack ->
                new Row(
                    LIST + "/" + Show.url(Read.text(pack, "id")),
                    Read.text(pack, "id"),
                    Read.text(pack, "name"),
                    Read.text(pack, "description"),
                    Show.count(Read.objects(pack, "evaluation_rules").size(), "rule", "rules")))
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
    return page.show("console/policy.jte", "Policy", shell -> story.tell(page, shell, id, pasted));
  }

  /** Cases that somebody has pasted; nothing is kept of them. */
  private Response cases(OpenPage page) {
    String pasted = page.field("cases").orElse("");
    try {
      return detail(page, pasted);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> detail(page, pasted));
    }
  }

  /** The editor; {@code console/policy-edit.jte}. */
  public record Editor(Shell shell, String text, List<String> faults) {
    public Editor {
      faults = List.copyOf(faults);
    }
  }

  private static String source(OpenPage page, String id) {
    return page.find("/api/policies/" + Show.url(id)).map(Indented::text).orElse("");
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
                "✓ No fault: "
                    + Read.whole(checked, "rules")
                        .map(n -> Show.count(n, "rule", "rules"))
                        .orElse("")
                    + "."));
      }
      String id = Read.text(pack, "id");
      boolean known = page.find(own(page) + "/" + Show.url(id)).isPresent();
      page.send(known ? "PUT" : "POST", own(page) + (known ? "/" + Show.url(id) : ""), pack);
      return OpenPage.done(LIST + "/" + Show.url(id), Done.POLICY_SAVED);
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
      throw Problem.invalid("text", e.getMessage() == null ? "This is no JSON." : e.getMessage())
          .toException();
    }
  }

  private Response use(OpenPage page, String how, Done done) {
    String id = page.request().pathParam("policy_id");
    JsonObject.Builder body = JsonObject.builder();
    Optional<String> version = page.field("version").filter(text -> text.matches("[0-9]{1,6}"));
    version.ifPresent(text -> body.put("version", Long.parseLong(text)));
    page.send("POST", own(page) + "/" + Show.url(id) + "/" + how, body.build());
    return OpenPage.done(LIST + "/" + Show.url(id), done);
  }

  private Response endShadow(OpenPage page) {
    String id = page.request().pathParam("policy_id");
    page.send("DELETE", own(page) + "/" + Show.url(id) + "/shadow", JsonObject.EMPTY);
    return OpenPage.done(LIST + "/" + Show.url(id), Done.SHADOW_ENDED);
  }
}
