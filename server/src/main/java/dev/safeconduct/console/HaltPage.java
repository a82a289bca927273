package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Halts and resumes the organization's agents, and for the operator those of all organizations. */
public final class HaltPage {
  private static final String PAGE = "/console/halt";
  private static final String ADMIN = "/api/admin/";

  private static final String BY_OPERATOR = "halt_by_operator";
  private static final String OWN = "halt";

  /** What a person types to halt all organizations. */
  private static final String ALL = "all organizations";

  private HaltPage() {}

  static List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(PAGE, HaltPage::show),
        signIn.form(PAGE + "/own/halt", page -> halt(page, "own", page.orgName()), HaltPage::show),
        signIn.form(PAGE + "/own/resume", page -> resume(page, "own"), HaltPage::show),
        signIn.form(PAGE + "/all/halt", page -> halt(page, "all", ALL), HaltPage::show),
        signIn.form(PAGE + "/all/resume", page -> resume(page, "all"), HaltPage::show));
  }

  /** The page; {@code console/halt.jte}. */
  public record Page(Layout shell, List<Stop> stops) {}

  /**
   * What can be halted.
   *
   * @param path of its forms
   * @param agents how many active agents it has, in words
   * @param reasons of its halts, with who halted it; an operator's first
   * @param halts whether the reader can halt it
   * @param resumes whether the reader can end the first of its halts that they may end
   * @param endsOwn whether that one is the organization's own
   * @param confirm what a person types to halt it
   */
  public record Stop(
      String path,
      String title,
      String agents,
      List<String> reasons,
      boolean halts,
      boolean resumes,
      boolean endsOwn,
      String confirm) {
    /** Returns the end of its fields' ids. */
    public String id() {
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

  private static Response show(OpenPage page) {
    var stops = new ArrayList<Stop>();
    JsonObject own = page.get(api(page, "own") + "halt");
    stops.add(stop("own", page.orgName(), own, List.of(BY_OPERATOR, OWN), page.isOperator()));
    if (page.isOperator()) {
      JsonObject all = page.get(ADMIN + "halt");
      stops.add(stop("all", ALL, all, List.of("halt_of_all"), true));
    }
    return page.show("console/halt.jte", "Halt", shell -> new Page(shell, stops));
  }

  private static Stop stop(
      String what, String confirm, JsonObject state, List<String> halts, boolean operator) {
    List<String> present = halts.stream().filter(name -> state.object(name).isPresent()).toList();
    String last = halts.getLast();
    return new Stop(
        PAGE + "/" + what,
        what.equals("all") ? "All organizations" : confirm,
        Formats.count(state.whole("active_agents").orElse(0L), "active agent", "active agents"),
        present.stream()
            .map(name ->
                (name.equals(BY_OPERATOR) ? "Halted by an operator: " : "Halted: ")
                    + state.child(name).text("reason"))
            .toList(),
        !present.contains(last),
        present.contains(last) || (operator && !present.isEmpty()),
        last.equals(OWN) && !(operator && present.contains(BY_OPERATOR)),
        confirm);
  }

  private static Response halt(OpenPage page, String what, String confirm) {
    page.demand("POST", api(page, what) + "halt");
    page.confirm(confirm);
    JsonObject reason = JsonObject.of("reason", page.entered("reason"));
    page.send("POST", api(page, what) + "halt", reason);
    return OpenPage.done(PAGE, FlashMessage.HALTED);
  }

  private static Response resume(OpenPage page, String what) {
    // As the page said: a form that is sent twice must not end the other halt, too.
    JsonObject body = page.field("own").isPresent() ? JsonObject.of("own", true) : JsonObject.EMPTY;
    String target = api(page, what) + "resume";
    JsonObject after =
        page.isOperator() ? page.asOperator("POST", target, body) : page.send("POST", target, body);
    return OpenPage.done(
        PAGE, after.isTrue("halted") ? FlashMessage.STILL_HALTED : FlashMessage.RESUMED);
  }

  private static String api(OpenPage page, String what) {
    return what.equals("all") ? ADMIN : "/api/orgs/" + Formats.url(page.org()) + "/";
  }
}
