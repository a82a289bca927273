package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Organization commands. */
@Command(
    name = "orgs",
    mixinStandardHelpOptions = true,
    description = "Create and list organizations of the running service.")
public final class OrgsCommand {
  private OrgsCommand() {}

  /** Prints the new organization's id. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {"Create an organization and print its id.", RemoteOptions.EXIT})
  int create(
      @Mixin RemoteOptions options,
      @Option(names = "--name", required = true, description = "The organization's name.")
          String name) {
    return options.call(remote ->
        options.print(
            remote.post("/api/orgs", JsonObject.builder().put("name", name).build()), "org_id"));
  }

  /** Lists the organizations, oldest first. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List organizations.", RemoteOptions.EXIT})
  int list(@Mixin RemoteOptions options) {
    return options.call(
        remote -> options.list(remote.all("/api/orgs", "orgs"), "org_id", "name", "created_at"));
  }
}
