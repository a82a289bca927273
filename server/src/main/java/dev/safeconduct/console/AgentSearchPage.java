package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Passports;
import java.util.ArrayList;
import java.util.List;

/** Finds agents by what somebody types of a name, a slug or an id. */
public final class AgentSearchPage {
  private static final int SHOWN = 12;

  private final SignInPage signIn;
  private final Passports passports;

  AgentSearchPage(SignInPage signIn, Passports passports) {
    this.signIn = signIn;
    this.passports = passports;
  }

  List<Route> routes() {
    return List.of(signIn.page("/console/agents", AgentSearchPage::options));
  }

  /** The options for a field; {@code console/agents.jte}. */
  public record Options(List<DecisionsPage.Policy> agents) {}

  private static Response options(OpenPage page) {
    return page.part(
        "console/agents.jte", new Options(matches(page, page.query("agent").orElse(""))));
  }

  /** Returns the agents with exactly that name, slug or id; if there are none, those that match. */
  List<DecisionsPage.Policy> find(OpenPage page, String text) {
    if (!page.may("GET", "/api/passports")) {
      return List.of();
    }
    List<DecisionsPage.Policy> exact =
        passports.named(new OrgId(page.org()), text, SHOWN).stream()
            .map(passport ->
                new DecisionsPage.Policy(
                    passport.agentId().value(), Formats.clip(passport.name(), 60)))
            .toList();
    return exact.isEmpty() ? matches(page, text) : exact;
  }

  private static List<DecisionsPage.Policy> matches(OpenPage page, String text) {
    var found = new ArrayList<DecisionsPage.Policy>();
    String target = "/api/passports?limit=" + SHOWN + "&q=" + Formats.url(Formats.clip(text, 128));
    for (JsonObject passport : page.list(target, "passports")) {
      found.add(
          new DecisionsPage.Policy(
              passport.text("agent_id"), Formats.clip(passport.text("name"), 60)));
    }
    return found;
  }
}
