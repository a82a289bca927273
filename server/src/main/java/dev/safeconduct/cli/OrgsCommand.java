package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Organization commands. */
@Command(
    name = "orgs",
    mixinStandardHelpOptions = true,
    description = "Create, list, rename and delete organizations of the running service.")
public final class OrgsCommand {
  /** Prints the new organization's id. */
  @Command(
      name = "create",
      description = {"Create an organization and print its id.", RemoteOptions.EXIT})
  int create(
      @Mixin RemoteOptions options,
      @Option(
              names = "--name",
              required = true,
              paramLabel = "NAME",
              description = "The organization's name.")
          String name) {
    return options.call(
        remote -> options.print(remote.post("/api/orgs", JsonObject.of("name", name)), "org_id"));
  }

  /** Lists the organizations, oldest first. */
  @Command(
      name = "list",
      description = {"List organizations.", RemoteOptions.EXIT})
  int list(@Mixin RemoteOptions options) {
    return options.call(
        remote -> options.list(remote.all("/api/orgs", "orgs"), "org_id", "name", "created_at"));
  }

  /** Prints the organization's new name. */
  @Command(
      name = "rename",
      description = {"Rename an organization.", RemoteOptions.EXIT})
  int rename(
      @Mixin RemoteOptions options,
      @Parameters(paramLabel = "ORG_ID") String org,
      @Option(
              names = "--name",
              required = true,
              paramLabel = "NAME",
              description = "The organization's new name.")
          String name) {
    return options.call(
        remote -> options.print(remote.patch(path(org), JsonObject.of("name", name)), "name"));
  }

  /** Deletes an organization whose name is given too. */
  @Command(
      name = "delete",
      description = {
        "Delete an organization: revoke its passports and keys and remove everything else of it.",
        "This cannot be undone.",
        RemoteOptions.EXIT
      })
  int delete(
      @Mixin RemoteOptions options,
      @Parameters(paramLabel = "ORG_ID") String org,
      @Option(
              names = "--confirm",
              required = true,
              paramLabel = "NAME",
              description = "The organization's name, so that no other is deleted by mistake.")
          String name,
      @Option(
              names = "--reason",
              required = true,
              paramLabel = "TEXT",
              description = "The reason, stored in the audit log.")
          String reason) {
    return options.call(remote -> {
      JsonObject answer =
          remote.delete(RemoteClient.query(path(org), Map.of("confirm", name, "reason", reason)));
      options.say(
          answer,
          "Deleted; passports revoked: "
              + TextTable.cell(answer.get("passports_revoked"))
              + "; keys revoked: "
              + TextTable.cell(answer.get("keys_revoked"))
              + "; members removed: "
              + TextTable.cell(answer.get("members_removed"))
              + PassportsCommand.undelivered(answer));
    });
  }

  private static String path(String org) throws RemoteException {
    return "/api/orgs/" + RemoteClient.segment(org);
  }
}
