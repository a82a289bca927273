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

/** API key commands of an organization. */
@Command(
    name = "keys",
    mixinStandardHelpOptions = true,
    description = "Create, list, rotate and revoke API keys of the running service.")
public final class KeysCommand {
  /** Prints only the key, so that a script can read it. */
  @Command(
      name = "create",
      description = {"Create a key and print it. It is shown only once.", RemoteOptions.EXIT})
  int create(
      @Mixin RemoteOptions.InOrganization options,
      @Option(
              names = "--name",
              required = true,
              paramLabel = "NAME",
              description = "A name for the key.")
          String name,
      @Option(
              names = "--scope",
              required = true,
              split = ",",
              paramLabel = "SCOPE",
              description =
                  "What the key may do: read, issue, update, status, list_agents and so on.")
          List<String> scopes,
      @Option(names = "--agent", paramLabel = "ID", description = "Limit the key to this agent.")
          @Nullable String agent,
      @Option(
              names = "--expires-at",
              paramLabel = "TIME",
              description = "When the key expires, for example 2027-01-01T00:00:00Z.")
          @Nullable String expiresAt) {
    return options.call(remote -> {
      JsonObject body =
          JsonObject.builder()
              .put("name", name)
              .put("scopes", JsonArray.ofStrings(scopes))
              .putIfPresent("agent_id", Optional.ofNullable(agent))
              .putIfPresent("expires_at", Optional.ofNullable(expiresAt))
              .build();
      options.print(remote.post(options.path(remote, "keys"), body), "key");
    });
  }

  /** Lists all keys, including expired and revoked ones. */
  @Command(
      name = "list",
      description = {"List the keys of an organization.", RemoteOptions.EXIT})
  int list(@Mixin RemoteOptions.InOrganization options) {
    return options.call(remote ->
        options.list(
            remote.all(options.path(remote, "keys"), "keys"),
            "key_id",
            "name",
            "scopes",
            "agent_id",
            "expires_at",
            "revoked_at"));
  }

  /** Prints only the new key. */
  @Command(
      name = "rotate",
      description = {
        "Replace a key and print the new one. It is shown only once.",
        RemoteOptions.EXIT
      })
  int rotate(
      @Mixin RemoteOptions.InOrganization options,
      @Parameters(paramLabel = "KEY_ID") String id,
      @Option(
              names = "--grace-seconds",
              paramLabel = "SECONDS",
              description = "How long the old key stays valid. Default: 0.")
          int grace) {
    return options.call(remote ->
        options.print(
            remote.post(
                options.path(remote, "keys", id) + "/rotate",
                JsonObject.of("grace_seconds", grace)),
            "key"));
  }

  /** Revokes a key: at once on this node, within a second on the others. */
  @Command(
      name = "revoke",
      description = {"Revoke a key. Requests with it are rejected at once.", RemoteOptions.EXIT})
  int revoke(
      @Mixin RemoteOptions.InOrganization options, @Parameters(paramLabel = "KEY_ID") String id) {
    return options.call(
        remote -> options.say(remote.delete(options.path(remote, "keys", id)), "revoked " + id));
  }
}
