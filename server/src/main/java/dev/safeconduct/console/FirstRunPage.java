package dev.safeconduct.console;

import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** The guided start: create a passport, paste a command, see the decision arrive. */
public final class FirstRunPage {
  private static final String PATH = "/console/first-run";

  private FirstRunPage() {}

  static List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(PATH, FirstRunPage::start),
        signIn.form(PATH, FirstRunPage::make, FirstRunPage::start));
  }

  /** Its two steps; {@code console/first-run.jte}. */
  public record Steps(
      Layout shell, boolean made, String agentId, String name, String allowed, String denied) {
    @Override
    public String toString() {
      return "Steps[hidden]";
    }
  }

  private static Response start(OpenPage page) {
    page.demand("POST", "/api/passports");
    return page.show(
        "console/first-run.jte", "First steps", shell -> new Steps(shell, false, "", "", "", ""));
  }

  private static Response make(OpenPage page) {
    String name = page.field("name").orElse("My first agent");
    JsonObject passport =
        page.send(
            "POST",
            "/api/passports",
            JsonObject.builder()
                .put("name", name)
                .put("capabilities", JsonArray.of(JsonObject.of("id", "system.command.execute")))
                .put(
                    "limits",
                    JsonObject.of(
                        "system.command.execute",
                        JsonObject.of(
                            "allowed_commands", JsonArray.ofStrings(List.of("git", "ls", "make")))))
                .build());
    String id = passport.text("agent_id");
    String key = page.setupKey(id);
    return page.show(
        "console/first-run.jte",
        "First steps",
        shell ->
            new Steps(
                shell,
                true,
                id,
                name,
                Curl.verify(page.baseUrl(), key, "git status"),
                Curl.verify(page.baseUrl(), key, "rm -rf /")));
  }
}
