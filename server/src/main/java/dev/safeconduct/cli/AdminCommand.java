package dev.safeconduct.cli;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands for the service's operators. */
@Command(
    name = "admin",
    mixinStandardHelpOptions = true,
    description = "Manage the access of operators and pipelines to the running service.",
    subcommands = AdminCommand.Tokens.class)
public final class AdminCommand {
  private static final String PATH = "/api/admin/tokens";

  private AdminCommand() {}

  /** Commands for operators' tokens. */
  @Command(
      name = "tokens",
      mixinStandardHelpOptions = true,
      description = "Create, list and revoke operators' tokens.")
  static final class Tokens {
    /** Prints only the token, so that a script can read it. */
    @Command(
        name = "create",
        description = {"Create a token and print it. It is shown only once.", RemoteOptions.EXIT})
    int create(
        @Mixin RemoteOptions options,
        @Option(
                names = "--name",
                required = true,
                paramLabel = "NAME",
                description = "A name for the token.")
            String name,
        @Option(
                names = "--role",
                required = true,
                paramLabel = "ROLE",
                description = "What it may do: operator, read_only or deploy.")
            String role,
        @Option(
                names = "--org",
                paramLabel = "ID",
                description = "The organization of a deploy token.")
            @Nullable String org,
        @Option(
                names = "--may",
                split = ",",
                paramLabel = "RIGHT",
                description =
                    "What files may change with a deploy token besides packs and passports:"
                        + " webhooks, retention, withdraw.")
            @Nullable List<String> may,
        @Option(
                names = "--expires-at",
                paramLabel = "TIME",
                description = "When it expires, for example 2027-01-01T00:00:00Z.")
            @Nullable String expiresAt) {
      return options.call(remote -> {
        JsonObject.Builder body =
            JsonObject.builder()
                .put("name", name)
                .put("role", role)
                .putIfPresent("org_id", Optional.ofNullable(org))
                .putIfPresent("expires_at", Optional.ofNullable(expiresAt));
        if (may != null) {
          body.put("may", JsonArray.ofStrings(may));
        }
        options.print(remote.post(PATH, body.build()), "token");
      });
    }

    /** Lists all tokens, including expired and revoked ones. */
    @Command(
        name = "list",
        description = {"List operators' tokens.", RemoteOptions.EXIT})
    int list(@Mixin RemoteOptions options) {
      return options.call(remote ->
          options.list(
              remote.all(PATH, "tokens"),
              "token_id",
              "name",
              "role",
              "org_id",
              "last_used_at",
              "expires_at",
              "revoked_at"));
    }

    /** Revokes a token: at once on this node, within a second on the others. */
    @Command(
        name = "revoke",
        description = {
          "Revoke a token; with \"admin\", the admin token of the first start.",
          RemoteOptions.EXIT
        })
    int revoke(
        @Mixin RemoteOptions options,
        @Parameters(paramLabel = "TOKEN_ID", description = "The token's id.") String id) {
      return options.call(
          remote -> options.say(remote.delete(PATH + "/" + RemoteClient.segment(id)), "Revoked."));
    }
  }
}
