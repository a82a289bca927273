package dev.safeconduct.cli;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** API key commands of an organization. */
@Command(
    name = "keys",
    mixinStandardHelpOptions = true,
    description = "Create, list, rotate and revoke API keys of the running service.",
    subcommands = {
      KeysCommand.Make.class,
      KeysCommand.Listing.class,
      KeysCommand.Rotate.class,
      KeysCommand.Revoke.class
    })
public final class KeysCommand {
  private KeysCommand() {}

  /** Prints only the key, so that a script can read it. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {"Create a key and print it. It is shown only once.", RemoteCommand.EXIT})
  static final class Make extends RemoteCommand.InOrganization {
    @Option(names = "--name", required = true, description = "A name for the key.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String name;

    @Option(
        names = "--scope",
        required = true,
        split = ",",
        paramLabel = "SCOPE",
        description = "What the key may do: read, issue, update, status, list_agents and so on.")
    private List<String> scopes = new ArrayList<>();

    @Option(names = "--agent", paramLabel = "ID", description = "Limit the key to this agent.")
    private @Nullable String agent;

    @Option(
        names = "--expires-at",
        paramLabel = "TIME",
        description = "When the key expires, for example 2027-01-01T00:00:00Z.")
    private @Nullable String expiresAt;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject.Builder body =
          JsonObject.builder().put("name", name).put("scopes", JsonArray.ofStrings(scopes));
      if (agent != null) {
        body.put("agent_id", agent);
      }
      if (expiresAt != null) {
        body.put("expires_at", expiresAt);
      }
      JsonObject made = remote.post(path(remote, "keys"), body.build());
      tell(out, made, made.string("key").orElse(""));
    }
  }

  /** Lists all keys, including expired and revoked ones. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List the keys of an organization.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand.InOrganization {
    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      list(
          out,
          remote.all(path(remote, "keys"), "keys"),
          "key_id",
          "name",
          "scopes",
          "agent_id",
          "expires_at",
          "revoked_at");
    }
  }

  /** Prints only the new key. */
  @Command(
      name = "rotate",
      mixinStandardHelpOptions = true,
      description = {
        "Replace a key and print the new one. It is shown only once.",
        RemoteCommand.EXIT
      })
  static final class Rotate extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "KEY_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String id;

    @Option(
        names = "--grace-seconds",
        paramLabel = "SECONDS",
        description = "How long the old key stays valid. Default: 0.")
    private int grace;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject made =
          remote.post(
              path(remote, "keys", id) + "/rotate",
              JsonObject.builder().put("grace_seconds", grace).build());
      tell(out, made, made.string("key").orElse(""));
    }
  }

  /** Revokes a key: at once on this node, within a second on the others. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = {"Revoke a key. Requests with it are rejected at once.", RemoteCommand.EXIT})
  static final class Revoke extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "KEY_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String id;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject answer = remote.delete(path(remote, "keys", id));
      tell(out, answer, "revoked " + id);
    }
  }
}
