package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands for the members of an organization. */
@Command(
    name = "users",
    mixinStandardHelpOptions = true,
    description = "Add, list and remove members of an organization of the running service.",
    subcommands = {UsersCommand.Add.class, UsersCommand.Listing.class, UsersCommand.Remove.class})
public final class UsersCommand {
  private UsersCommand() {}

  /** Adds a member. Creates an account if the address has none; the person gets an email. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = {"Add a member and send them an invitation email.", RemoteCommand.EXIT})
  static final class Add extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "EMAIL")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String email;

    @Option(
        names = "--role",
        required = true,
        description = "The role: owner, admin, member or auditor.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String role;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject made =
          remote.post(
              path(remote, "members"),
              JsonObject.builder().put("email", email).put("role", role).build());
      tell(out, made, made.string("account_id").orElse(""));
    }
  }

  /** Lists the members, oldest first. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List the members of an organization.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand.InOrganization {
    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      list(
          out,
          remote.all(path(remote, "members"), "members"),
          "account_id",
          "email",
          "role",
          "since");
    }
  }

  /** Removes a member. Their sessions for the organization end at once. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = {"Remove a member by account id.", RemoteCommand.EXIT})
  static final class Remove extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "ACCOUNT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String account;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject answer = remote.delete(path(remote, "members", account));
      tell(out, answer, "removed " + account);
    }
  }
}
