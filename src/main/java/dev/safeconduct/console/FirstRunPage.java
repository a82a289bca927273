package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.ProblemException;
import java.util.List;

/** The guided start: make a passport, paste a command, see the decision arrive. */
public final class FirstRunPage {
  private static final String PATH = "/console/first-run";
  private static final String POLICY = "system.command.execute.v1";

  private final DoorPage door;

  FirstRunPage(DoorPage door) {
    this.door = door;
  }

  List<Route> routes() {
    return List.of(door.page(PATH, this::start), door.form(PATH, this::make));
  }

  /** Its two steps; {@code console/first-run.jte}. */
  public record View(
      Shell shell, boolean made, String agentId, String name, String allowed, String denied) {
    @Override
    public String toString() {
      return "View[hidden]";
    }
  }

  private Response start(OpenPage page) {
    page.demand("POST", "/api/passports");
    return page.show(
        "console/first-run.jte", "First steps", shell -> new View(shell, false, "", "", "", ""));
  }

  private Response make(OpenPage page) {
    try {
      String name = page.field("name").orElse("My first agent");
      JsonObject passport =
          page.send(
              "POST",
              "/api/passports",
              JsonObject.builder()
                  .put("name", name)
                  .put(
                      "capabilities",
                      JsonArray.of(
                          JsonObject.builder().put("id", "system.command.execute").build()))
                  .put(
                      "limits",
                      JsonObject.builder()
                          .put(
                              "system.command.execute",
                              JsonObject.builder()
                                  .put(
                                      "allowed_commands",
                                      JsonArray.ofStrings(List.of("git", "ls", "make")))
                                  .build())
                          .build())
                  .build());
      String id = Read.text(passport, "agent_id");
      String key =
          Read.text(
              page.send("POST", "/api/passports/" + Show.url(id) + "/setup-key", JsonObject.EMPTY),
              "key");
      return page.show(
          "console/first-run.jte",
          "First steps",
          shell ->
              new View(
                  shell,
                  true,
                  id,
                  name,
                  Curl.verify(page.baseUrl(), key, POLICY, List.of("command", "git status")),
                  Curl.verify(page.baseUrl(), key, POLICY, List.of("command", "rm -rf /"))));
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> start(page));
    }
  }
}
