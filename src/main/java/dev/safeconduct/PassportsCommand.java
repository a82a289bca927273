package dev.safeconduct;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Passports, and stopping their agents. */
@Command(
    name = "passports",
    mixinStandardHelpOptions = true,
    description =
        "Make, list, show, suspend, activate and revoke passports of the running service.",
    subcommands = {
      PassportsCommand.Make.class,
      PassportsCommand.Listing.class,
      PassportsCommand.Show.class,
      PassportsCommand.Suspend.class,
      PassportsCommand.Activate.class,
      PassportsCommand.Revoke.class
    })
final class PassportsCommand {
  private PassportsCommand() {}

  /** Prints the new passport's agent id. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {
        "Make a passport from a file of JSON and print its agent id.",
        RemoteCommand.EXIT
      })
  static final class Make extends RemoteCommand.InOrganization {
    @Parameters(paramLabel = "FILE", description = "The passport, as POST /api/passports takes it.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private Path file;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      byte[] passport;
      try {
        passport = Files.readAllBytes(file);
      } catch (IOException e) {
        throw RemoteFault.unreachable("The passport's file cannot be read: " + e.getMessage());
      }
      JsonObject made = remote.post(Remote.query("/api/passports", acting()), passport);
      tell(out, made, made.string("agent_id").orElse(""));
    }
  }

  /** All pages of them. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List passports.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand.InOrganization {
    @Option(names = "--status", description = "Only draft, active, suspended or revoked ones.")
    private @Nullable String status;

    @Option(names = "--find", paramLabel = "TEXT", description = "Looked for in name, slug and id.")
    private @Nullable String find;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      var filter = new TreeMap<>(acting());
      if (status != null) {
        filter.put("status", status);
      }
      if (find != null) {
        filter.put("q", find);
      }
      list(
          out,
          remote.all(Remote.query("/api/passports", filter), "passports"),
          "agent_id",
          "name",
          "status",
          "assurance_level",
          "created_at");
    }
  }

  /** As JSON, whatever was asked for. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = {"Print a passport as JSON.", RemoteCommand.EXIT})
  static final class Show extends RemoteCommand {
    @Parameters(paramLabel = "AGENT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String agent;

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      out.println(Json.text(remote.get("/api/passports/" + Remote.segment(agent))));
    }
  }

  /** Sets a status and says what the receivers made of it. */
  abstract static class Change extends RemoteCommand {
    @Parameters(paramLabel = "AGENT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String agent;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Kept in the audit log.")
    private @Nullable String reason;

    private final String status;

    Change(String status) {
      this.status = status;
    }

    @Override
    void run(Remote remote, PrintWriter out) throws RemoteFault {
      JsonObject.Builder body = JsonObject.builder().put("agent_id", agent).put("status", status);
      if (reason != null) {
        body.put("reason", reason);
      }
      JsonObject answer = remote.post("/api/admin/status", body.build());
      String told =
          answer
              .object("webhook")
              .flatMap(webhook -> webhook.string("error"))
              .map(error -> "; not all receivers know: " + error)
              .orElse("");
      tell(out, answer, answer.string("message").orElse(status) + told);
    }
  }

  /** No decision allows the agent from then on. */
  @Command(
      name = "suspend",
      mixinStandardHelpOptions = true,
      description = {"Stop an agent until it is activated again.", RemoteCommand.EXIT})
  static final class Suspend extends Change {
    Suspend() {
      super("suspended");
    }
  }

  /** What was suspended or a draft may act. */
  @Command(
      name = "activate",
      mixinStandardHelpOptions = true,
      description = {"Let an agent act.", RemoteCommand.EXIT})
  static final class Activate extends Change {
    Activate() {
      super("active");
    }
  }

  /** There is no way back. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = {"Stop an agent for good.", RemoteCommand.EXIT})
  static final class Revoke extends Change {
    Revoke() {
      super("revoked");
    }
  }
}
