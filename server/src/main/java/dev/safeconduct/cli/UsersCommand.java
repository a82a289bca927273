package dev.safeconduct.cli;

import dev.safeconduct.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands for the members of an organization. */
@Command(
    name = "users",
    mixinStandardHelpOptions = true,
    description = "Add, list and remove members of an organization; reset their second factor.")
public final class UsersCommand {
  /** Adds a member. Creates an account if the address has none; the person gets an email. */
  @Command(
      name = "add",
      description = {"Add a member and send them an invitation email.", RemoteOptions.EXIT})
  int add(
      @Mixin RemoteOptions.InOrganization options,
      @Parameters(paramLabel = "EMAIL") String email,
      @Option(
              names = "--role",
              required = true,
              paramLabel = "ROLE",
              description = "The role: owner, admin, member or auditor.")
          String role) {
    return options.call(remote ->
        options.print(
            remote.post(
                options.path(remote, "members"),
                JsonObject.builder().put("email", email).put("role", role).build()),
            "account_id"));
  }

  /** Lists the members, oldest first. */
  @Command(
      name = "list",
      description = {"List the members of an organization.", RemoteOptions.EXIT})
  int list(@Mixin RemoteOptions.InOrganization options) {
    return options.call(remote ->
        options.list(
            remote.all(options.path(remote, "members"), "members"),
            "account_id",
            "email",
            "role",
            "since"));
  }

  /** Removes a member. Their sessions for the organization end at once. */
  @Command(
      name = "remove",
      description = {"Remove a member by account id.", RemoteOptions.EXIT})
  int remove(
      @Mixin RemoteOptions.InOrganization options,
      @Parameters(paramLabel = "ACCOUNT_ID") String account) {
    return options.call(remote ->
        options.say(remote.delete(options.path(remote, "members", account)), "removed " + account));
  }

  /** Removes a member's passkeys and recovery codes, and ends their sessions. */
  @Command(
      name = "reset-second-factor",
      description = {
        "Remove the passkeys and recovery codes of a member who lost them, by account id. Their"
            + " sessions end, and they get an email.",
        RemoteOptions.EXIT
      })
  int resetSecondFactor(
      @Mixin RemoteOptions.InOrganization options,
      @Parameters(paramLabel = "ACCOUNT_ID") String account) {
    return options.call(remote ->
        options.say(
            remote.delete(options.path(remote, "members", account) + "/second-factor"),
            "removed the second factor of " + account));
  }
}
