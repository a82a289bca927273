package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passports;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Shows the suggested passport beside the present one, and applies it. */
public final class NarrowPage {
  private static final String PAGE = "/console/passports/{agent_id}/narrow";
  private static final int LONG = 2_000;

  /** The members of a suggestion that a passport has. */
  private static final List<String> MEMBERS = List.of("capabilities", "limits", "regions", "mcp");

  private final Preview preview;
  private final Passports passports;

  NarrowPage(Preview preview, Passports passports) {
    this.preview = preview;
    this.passports = passports;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page(PAGE, this::show), signIn.form(PAGE, this::apply));
  }

  /**
   * The page; {@code console/narrow.jte}.
   *
   * @param path of the passport
   * @param waits whether the suggestion is still to be asked for; it can take seconds
   * @param suggested absent if there is no suggestion now
   */
  public record Page(
      Layout shell, String path, String name, boolean waits, Optional<Suggested> suggested) {}

  /**
   * A suggestion.
   *
   * @param lead what it was made from
   * @param changes what would change, then what stays and why
   * @param members the changed members as JSON, for the form; empty if nothing changes
   * @param digest of the decisions it was made from
   * @param version the passport's revision that it was made for
   */
  public record Suggested(
      String lead,
      List<Change> changes,
      List<Change> kept,
      String members,
      String digest,
      String version,
      Preview.View preview) {}

  /**
   * A member of the passport, at present and as suggested.
   *
   * @param forbids an example of what is denied then; empty for none
   */
  public record Change(
      String member, String change, String present, String suggested, String why, String forbids) {
    static Change of(JsonObject item) {
      return new Change(
          item.text("member"),
          item.text("change"),
          shown(item, "present"),
          shown(item, "suggested"),
          item.text("why"),
          example(item.child("forbids")));
    }

    private static String example(JsonObject forbids) {
      return forbids.names().stream()
          .map(name -> name + ": " + shown(forbids, name))
          .collect(Collectors.joining(", "));
    }

    private static String shown(JsonObject item, String name) {
      JsonValue value = item.present(name);
      return value == null ? "" : Formats.clip(Formats.plain(value), LONG);
    }

    private boolean changes() {
      return change.equals("narrowed") || change.equals("dropped");
    }
  }

  private Response show(OpenPage page) {
    page.demand("PATCH", "/api/passports/x");
    page.demand("POST", "/api/passports/x/suggest");
    boolean waits = page.query("suggest").isEmpty();
    if (waits || page.isWrong()) {
      return render(page, waits && !page.isWrong(), Optional.empty());
    }
    try {
      return render(page, false, Optional.of(suggested(page)));
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.NotFound) {
        throw e;
      }
      // Too many decisions, or another suggestion is being made.
      return page.failed(e.problem(), () -> render(page, false, Optional.empty()));
    }
  }

  private Response render(OpenPage page, boolean waits, Optional<Suggested> suggested) {
    String name = page.get(api(page)).text("name");
    return page.show(
        "console/narrow.jte",
        "Tighten passport",
        shell -> new Page(shell, path(page), Formats.clip(name, 100), waits, suggested));
  }

  private Suggested suggested(OpenPage page) {
    // First, so that it is not newer than what is shown.
    String version = PassportFormPage.version(page, passports);
    JsonObject passport = page.get(api(page));
    JsonObject answer = page.send("POST", api(page) + "/suggest", JsonObject.EMPTY);
    JsonObject evidence = answer.child("evidence");
    List<Change> all = answer.objects("explanations").stream().map(Change::of).toList();
    JsonObject members = answer.only(MEMBERS);
    JsonObject candidate = passport.toBuilder().putAll(members).build();
    boolean same = candidate.equals(passport);
    long decisions = evidence.whole("decisions").orElse(0L);
    return new Suggested(
        "Made from "
            + Formats.count(decisions, "decision", "decisions")
            + " since "
            + Formats.clip(evidence.text("from"), 11).substring(0, 10)
            + ". "
            + replayed(answer),
        all.stream().filter(Change::changes).toList(),
        all.stream().filter(change -> !change.changes()).toList(),
        same ? "" : Json.text(members),
        evidence.text("digest"),
        version,
        preview.of(page, candidate));
  }

  private static String replayed(JsonObject answer) {
    JsonObject replayed = answer.child("replayed");
    int denied = replayed.list("newly_denied").size();
    return denied == 0
        ? "Replayed with the suggestion, none of them is denied."
        : Formats.count(denied, "decision", "decisions") + " would be denied; see below.";
  }

  private Response apply(OpenPage page) {
    page.demand("PATCH", "/api/passports/x");
    try {
      JsonObject members =
          Json.parseObject(page.entered("members").getBytes(StandardCharsets.UTF_8)).only(MEMBERS);
      page.send(
          "PATCH",
          api(page) + "?evidence=" + Formats.url(page.entered("digest")),
          members,
          Map.of("If-Match", new EntityTag(page.entered("version")).header()));
    } catch (JsonFault e) {
      return page.failed(
          Problem.invalid("members", "The suggestion is not valid JSON; open the page again."),
          () -> show(page));
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> show(page));
    }
    return OpenPage.done(path(page), FlashMessage.SAVED);
  }

  private static String api(OpenPage page) {
    return "/api/passports/" + Formats.url(page.param("agent_id"));
  }

  private static String path(OpenPage page) {
    return "/console/passports/" + Formats.url(page.param("agent_id"));
  }
}
