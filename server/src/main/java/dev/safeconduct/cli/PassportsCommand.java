package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Passport commands, including those that stop an agent. */
@Command(
    name = "passports",
    mixinStandardHelpOptions = true,
    description =
        "Issue, list, show, suspend, activate and revoke passports of the running service.")
public final class PassportsCommand {
  private PassportsCommand() {}

  /** Prints the new passport's agent id. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = {
        "Issue a passport from a JSON file and print its agent id.",
        RemoteOptions.EXIT
      })
  int create(
      @Mixin RemoteOptions.InOrganization options,
      @Parameters(
              paramLabel = "FILE",
              description = "The passport as JSON, as in POST /api/passports.")
          Path file) {
    return options.call(remote -> {
      byte[] passport;
      try {
        passport = Files.readAllBytes(file);
      } catch (IOException e) {
        throw RemoteException.unreachable("The passport file cannot be read: " + e.getMessage());
      }
      options.print(
          remote.post(RemoteClient.query("/api/passports", options.acting()), passport),
          "agent_id");
    });
  }

  /** Lists the passports of all pages. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = {"List passports.", RemoteOptions.EXIT})
  int list(
      @Mixin RemoteOptions.InOrganization options,
      @Option(
              names = "--status",
              description = "Only passports with this status: draft, active, suspended or revoked.")
          @Nullable String status,
      @Option(
              names = "--find",
              paramLabel = "TEXT",
              description = "Only passports with this text in name, slug or id.")
          @Nullable String find) {
    return options.call(remote -> {
      var filter = new TreeMap<>(options.acting());
      if (status != null) {
        filter.put("status", status);
      }
      if (find != null) {
        filter.put("q", find);
      }
      options.list(
          remote.all(RemoteClient.query("/api/passports", filter), "passports"),
          "agent_id",
          "name",
          "status",
          "assurance_level",
          "created_at");
    });
  }

  /** Prints a passport, always as JSON. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = {"Print a passport as JSON.", RemoteOptions.EXIT})
  int show(@Mixin RemoteOptions options, @Parameters(paramLabel = "AGENT_ID") String agent) {
    return options.call(remote ->
        options.print(Json.text(remote.get("/api/passports/" + RemoteClient.segment(agent)))));
  }

  /** The agent whose status is set, and why. */
  static final class Change extends RemoteOptions {
    @Parameters(paramLabel = "AGENT_ID")
    @SuppressWarnings("NullAway.Init") // set before the call
    private String agent;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        description = "The reason, stored in the audit log.")
    private @Nullable String reason;

    /** Sets the status and reports whether the webhook endpoints were notified. */
    private int to(String status) {
      return call(remote -> {
        JsonObject body =
            JsonObject.builder()
                .put("agent_id", agent)
                .put("status", status)
                .putIfPresent("reason", Optional.ofNullable(reason))
                .build();
        JsonObject answer = remote.post("/api/admin/status", body);
        String webhooks =
            answer
                .object("webhook")
                .flatMap(webhook -> webhook.string("error"))
                .map(error -> "; not all webhook endpoints were notified: " + error)
                .orElse("");
        say(answer, answer.string("message").orElse(status) + webhooks);
      });
    }
  }

  /** Suspends a passport; no decision allows the agent from then on. */
  @Command(
      name = "suspend",
      mixinStandardHelpOptions = true,
      description = {
        "Suspend a passport: deny every request of its agent until it is activated.",
        RemoteOptions.EXIT
      })
  int suspend(@Mixin Change change) {
    return change.to("suspended");
  }

  /** Activates a draft or a suspended passport. */
  @Command(
      name = "activate",
      mixinStandardHelpOptions = true,
      description = {"Activate a passport.", RemoteOptions.EXIT})
  int activate(@Mixin Change change) {
    return change.to("active");
  }

  /** Revokes a passport, which is final. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = {"Revoke a passport permanently.", RemoteOptions.EXIT})
  int revoke(@Mixin Change change) {
    return change.to("revoked");
  }
}
