package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.config.Env;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call that the hook is asked about as the agent would ask, through a shell. */
record HookCanary(AgentFiles agent, boolean allowed, HookProcess answer) {
  private static final Duration MOST = Duration.ofSeconds(15);

  /**
   * Asks about a call that must be allowed, or one that must be denied: a write to the file that
   * holds the hook.
   *
   * @throws IOException when there is no shell
   */
  static HookCanary run(HookPlaces.Found in, String command, boolean allow, HookPlaces places)
      throws IOException {
    Env env = places.env();
    Path folder = places.project();
    JsonValue event =
        in.agent().canary(allow ? "allow" : "deny", in.file().path().toString(), folder.toString());
    byte[] input = Json.bytes(event);
    return new HookCanary(
        in.agent(), allow, HookProcess.run(List.of("sh", "-c", command), input, folder, env, MOST));
  }

  /** Whether the agent does with this answer what it must. */
  boolean isRight() {
    String out = answer.out().strip();
    return allowed
        ? answer.status() == 0 && agent.allowed().contains(out)
        : answer.status() == 2 && !answer.err().isBlank() && (out.isEmpty() || denies(out));
  }

  private boolean denies(String out) {
    JsonObject body = Json.kept(out.getBytes(UTF_8)).orElse(JsonObject.EMPTY);
    return agent
        .denial()
        .filter(denial -> text(body, denial.path()).equals(denial.value()))
        .filter(denial -> !text(body, denial.reason()).isBlank())
        .isPresent();
  }

  private static String text(JsonObject body, List<String> path) {
    @Nullable JsonValue value = body;
    for (String name : path) {
      value = value instanceof JsonObject object ? object.get(name) : null;
    }
    return value instanceof JsonString(String text) ? text : "";
  }
}
