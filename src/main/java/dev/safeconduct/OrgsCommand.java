package dev.safeconduct;

import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Organizations. */
@Command(
    name = "orgs",
    mixinStandardHelpOptions = true,
    description = "Add and list organizations of the running service.",
    subcommands = {OrgsCommand.Make.class, OrgsCommand.Listing.class})
final class OrgsCommand {
  private OrgsCommand() {}

  /** Prints the new organization's id. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {"Add an organization and print its id.", RemoteCommand.EXIT})
  static final class Make extends RemoteCommand {
    @Option(names = "--name", required = true, description = "What it is called.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String name;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject made = remote.post("/api/orgs", JsonObject.builder().put("name", name).build());
      tell(out, made, made.string("org_id").orElse(""));
    }
  }

  /** The first made comes first. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List the organizations.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand {
    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      list(out, remote.all("/api/orgs", "orgs"), "org_id", "name", "created_at");
    }
  }
}
