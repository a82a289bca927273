package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes an organization as files describe it: everything, or nothing. */
@Command(
    name = "apply",
    exitCodeOnInvalidInput = DeployOptions.FAULT,
    description = {
      "Change an organization of the running service to what files describe: everything in one"
          + " transaction, or nothing.",
      "Exit status: 0 applied, or nothing to change; 1 fault or usage error: nothing is written."
    })
public final class ApplyCommand implements Callable<Integer> {
  @Mixin private DeployOptions options;

  @Option(
      names = "--revision",
      paramLabel = "COMMIT",
      description = "The files' commit, for the audit record.")
  private @Nullable String revision;

  @Option(
      names = "--expect",
      paramLabel = "STATE",
      description =
          "Apply only if the state is still the one that plan --json printed: the same files,"
              + " owner and --prune, and nothing has changed.")
  private @Nullable String expected;

  @Override
  public Integer call() {
    return options.onFiles(files -> {
      JsonObject request = options.request(files).build();
      int status =
          options.call(remote -> {
            String state = expected;
            if (state == null) {
              state = DeployOptions.post(remote, files, "/api/plan", request).text("state");
            }
            JsonObject.Builder apply = request.toBuilder().put("expected_state", state);
            if (revision != null) {
              apply.put("revision", revision);
            }
            options.show(DeployOptions.post(remote, files, "/api/apply", apply.build()));
          });
      return status == 0 ? 0 : DeployOptions.FAULT;
    });
  }
}
