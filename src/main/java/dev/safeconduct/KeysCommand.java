package dev.safeconduct;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** API keys of an organization. */
@Command(
    name = "keys",
    mixinStandardHelpOptions = true,
    description = "Make, list, replace and revoke API keys of the running service.",
    subcommands = {
      KeysCommand.Make.class,
      KeysCommand.Listing.class,
      KeysCommand.Rotate.class,
      KeysCommand.Revoke.class
    })
final class KeysCommand {
  private KeysCommand() {}

  /** Prints the key and nothing else, so that a script can take it. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {"Make a key. It is printed this once.", RemoteCommand.EXIT})
  static final class Make extends RemoteCommand.InOrganization {
    @Option(names = "--name", required = true, description = "What the key is for.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String name;

    @Option(
        names = "--scope",
        required = true,
        split = ",",
        paramLabel = "SCOPE",
        description = "What it opens: read, issue, update, status, list_agents and so on.")
    private List<String> scopes = new ArrayList<>();

    @Option(names = "--agent", paramLabel = "ID", description = "The one passport it is for.")
    private @Nullable String agent;

    @Option(
        names = "--expires-at",
        paramLabel = "TIME",
        description = "For example 2027-01-01T00:00:00Z.")
    private @Nullable String expiresAt;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject.Builder body =
          JsonObject.builder().put("name", name).put("scopes", JsonArray.ofStrings(scopes));
      if (agent != null) {
        body.put("agent_id", agent);
      }
      if (expiresAt != null) {
        body.put("expires_at", expiresAt);
      }
      JsonObject made = remote.post("/api/orgs/" + org(remote) + "/keys", body.build());
      tell(out, made, made.string("key").orElse(""));
    }
  }

  /** All keys, those that no longer work too. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List an organization's keys.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand.InOrganization {
    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      list(
          out,
          remote.all("/api/orgs/" + org(remote) + "/keys", "keys"),
          "key_id",
          "name",
          "scopes",
          "agent_id",
          "expires_at",
          "revoked_at");
    }
  }

  /** Prints the new key and nothing else. */
  @Command(
      name = "rotate",
      mixinStandardHelpOptions = true,
      description = {"Replace a key by a new one, which is printed this once.", RemoteCommand.EXIT})
  static final class Rotate extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "KEY_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String id;

    @Option(
        names = "--grace-seconds",
        paramLabel = "SECONDS",
        description = "How long the old one still works; 0 by default.")
    private int grace;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject made =
          remote.post(
              "/api/orgs/" + org(remote) + "/keys/" + Remote.segment(id) + "/rotate",
              JsonObject.builder().put("grace_seconds", grace).build());
      tell(out, made, made.string("key").orElse(""));
    }
  }

  /** At once on this node, within a second on the others. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = {"Revoke a key. It stops working at once.", RemoteCommand.EXIT})
  static final class Revoke extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "KEY_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String id;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject answer = remote.delete("/api/orgs/" + org(remote) + "/keys/" + Remote.segment(id));
      tell(out, answer, "revoked " + id);
    }
  }
}
