package dev.safeconduct.cli;

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

/** Passport commands, including those that stop an agent. */
@Command(
    name = "passports",
    mixinStandardHelpOptions = true,
    description =
        "Issue, list, show, suspend, activate and revoke passports of the running service.",
    subcommands = {
      PassportsCommand.Make.class,
      PassportsCommand.Listing.class,
      PassportsCommand.Show.class,
      PassportsCommand.Suspend.class,
      PassportsCommand.Activate.class,
      PassportsCommand.Revoke.class
    })
public final class PassportsCommand {
  private PassportsCommand() {}

  /** Prints the new passport's agent id. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {
        "Issue a passport from a JSON file and print its agent id.",
        RemoteCommand.EXIT
      })
  static final class Make extends RemoteCommand.InOrganization {
    @Parameters(
        paramLabel = "FILE",
        description = "The passport as JSON, as in POST /api/passports.")
    @SuppressWarnings("NullAway.Init") // set before the call
    private Path file;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      byte[] passport;
      try {
        passport = Files.readAllBytes(file);
      } catch (IOException e) {
        throw RemoteException.unreachable("The passport file cannot be read: " + e.getMessage());
      }
      JsonObject made = remote.post(RemoteClient.query("/api/passports", acting()), passport);
      tell(out, made, made.string("agent_id").orElse(""));
    }
  }

  /** Lists the passports of all pages. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List passports.", RemoteCommand.EXIT})
  static final class Listing extends RemoteCommand.InOrganization {
    @Option(
        names = "--status",
        description = "Only passports with this status: draft, active, suspended or revoked.")
    private @Nullable String status;

    @Option(
        names = "--find",
        paramLabel = "TEXT",
        description = "Only passports with this text in name, slug or id.")
    private @Nullable String find;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      var filter = new TreeMap<>(acting());
      if (status != null) {
        filter.put("status", status);
      }
      if (find != null) {
        filter.put("q", find);
      }
      list(
          out,
          remote.all(RemoteClient.query("/api/passports", filter), "passports"),
          "agent_id",
          "name",
          "status",
          "assurance_level",
          "created_at");
    }
  }

  /** Prints a passport, always as JSON. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = {"Print a passport as JSON.", RemoteCommand.EXIT})
  static final class Show extends RemoteCommand {
    @Parameters(paramLabel = "AGENT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String agent;

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      out.println(Json.text(remote.get("/api/passports/" + RemoteClient.segment(agent))));
    }
  }

  /** Sets a status and reports whether the webhook endpoints were notified. */
  abstract static class Change extends RemoteCommand {
    @Parameters(paramLabel = "AGENT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String agent;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        description = "The reason, stored in the audit log.")
    private @Nullable String reason;

    private final String status;

    Change(String status) {
      this.status = status;
    }

    @Override
    void run(RemoteClient remote, PrintWriter out) throws RemoteException {
      JsonObject.Builder body = JsonObject.builder().put("agent_id", agent).put("status", status);
      if (reason != null) {
        body.put("reason", reason);
      }
      JsonObject answer = remote.post("/api/admin/status", body.build());
      String told =
          answer
              .object("webhook")
              .flatMap(webhook -> webhook.string("error"))
              .map(error -> "; not all webhook endpoints were notified: " + error)
              .orElse("");
      tell(out, answer, answer.string("message").orElse(status) + told);
    }
  }

  /** Suspends a passport; no decision allows the agent from then on. */
  @Command(
      name = "suspend",
      mixinStandardHelpOptions = true,
      description = {
        "Suspend a passport: deny every request of its agent until it is activated.",
        RemoteCommand.EXIT
      })
  static final class Suspend extends Change {
    Suspend() {
      super("suspended");
    }
  }

  /** Activates a draft or a suspended passport. */
  @Command(
      name = "activate",
      mixinStandardHelpOptions = true,
      description = {"Activate a passport.", RemoteCommand.EXIT})
  static final class Activate extends Change {
    Activate() {
      super("active");
    }
  }

  /** Revokes a passport, which is final. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = {"Revoke a passport permanently.", RemoteCommand.EXIT})
  static final class Revoke extends Change {
    Revoke() {
      super("revoked");
    }
  }
}
