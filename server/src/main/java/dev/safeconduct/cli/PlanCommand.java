package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what applying files would change. */
@Command(
    name = "plan",
    exitCodeOnInvalidInput = DeployOptions.FAULT,
    description = {
      "Compare files with an organization of the running service and show what apply would change.",
      "Exit status: 0 no changes, 2 changes, 1 fault or usage error."
    })
public final class PlanCommand implements Callable<Integer> {
  @Mixin private DeployOptions options;

  @Option(
      names = "--no-effects",
      description = "Do not evaluate the last day's decisions again with the changes.")
  private boolean noEffects;

  @Override
  public Integer call() {
    return options.onFiles(files -> {
      JsonObject request = options.request(files).put("effects", !noEffects).build();
      boolean[] changed = new boolean[1];
      int status =
          options.call(remote -> {
            JsonObject plan = DeployOptions.post(remote, files, "/api/plan", request);
            options.show(plan);
            changed[0] = plan.isTrue("changed");
          });
      return status != 0 ? DeployOptions.FAULT : changed[0] ? DeployOptions.CHANGES : 0;
    });
  }
}
