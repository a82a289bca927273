package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Organization commands. */
@Command(
    name = "orgs",
    mixinStandardHelpOptions = true,
    description = "Create and list organizations of the running service.",
    subcommands = {OrgsCommand.Make.class, OrgsCommand.Listing.class})
public final class OrgsCommand {
  private OrgsCommand() {}

  /** Prints the new organization's id. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {"Create an organization and print its id.", RemoteCommand.EXIT})
  static final class Make extends RemoteCommand {
    @Option(names = "--name", required = true, description = "The organization's name.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String name;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject made = remote.post("/api/orgs", JsonObject.builder().put("name", name).build());
      tell(out, made, made.string("org_id").orElse(""));
    }
  }

  /** Lists the organizations, oldest first. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List organizations.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand {
    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      list(out, remote.all("/api/orgs", "orgs"), "org_id", "name", "created_at");
    }
  }
}
