package dev.safeconduct;

import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The people of an organization. */
@Command(
    name = "users",
    mixinStandardHelpOptions = true,
    description =
        "Bring people into an organization of the running service, list them, let them go.",
    subcommands = {UsersCommand.Add.class, UsersCommand.Listing.class, UsersCommand.Remove.class})
final class UsersCommand {
  private UsersCommand() {}

  /** Makes an account where the address has none; the person gets a letter. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = {"Bring somebody in, who gets a letter.", RemoteCommand.EXIT})
  static final class Add extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "EMAIL")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String email;

    @Option(names = "--role", required = true, description = "owner, admin, member or auditor.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String role;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject made =
          remote.post(
              "/api/orgs/" + org(remote) + "/members",
              JsonObject.builder().put("email", email).put("role", role).build());
      tell(out, made, made.string("account_id").orElse(""));
    }
  }

  /** Oldest first. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List an organization's people.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand.InOrganization {
    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      list(
          out,
          remote.all("/api/orgs/" + org(remote) + "/members", "members"),
          "account_id",
          "email",
          "role",
          "since");
    }
  }

  /** Their sessions for the organization end at once. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = {"Let somebody go, by their account's id.", RemoteCommand.EXIT})
  static final class Remove extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "ACCOUNT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String account;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject answer =
          remote.delete("/api/orgs/" + org(remote) + "/members/" + Remote.segment(account));
      tell(out, answer, "removed " + account);
    }
  }
}
