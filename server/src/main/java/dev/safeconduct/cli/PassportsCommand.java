package dev.safeconduct.cli;

import dev.safeconduct.config.FileFault;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
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
  /** Prints the new passport's agent id. */
  @Command(
      name = "create",
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
      JsonObject passport;
      try {
        passport = GivenFile.object(file);
      } catch (IOException e) {
        throw RemoteException.unreachable(
            "The passport file cannot be read: " + FileFault.shown(e));
      }
      options.print(
          remote.post(RemoteClient.query("/api/passports", options.acting()), passport),
          "agent_id");
    });
  }

  /** Lists the passports of all pages. */
  @Command(
      name = "list",
      description = {"List passports.", RemoteOptions.EXIT})
  int list(
      @Mixin RemoteOptions.InOrganization options,
      @Option(
              names = "--status",
              paramLabel = "STATUS",
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
      description = {"Print a passport as JSON.", RemoteOptions.EXIT})
  int show(@Mixin RemoteOptions options, @Parameters(paramLabel = "AGENT_ID") String agent) {
    return options.call(remote ->
        options.print(Json.text(remote.get("/api/passports/" + RemoteClient.segment(agent)))));
  }

  /** The agent whose status is set, and why. */
  static final class Change extends RemoteOptions {
    @Parameters(paramLabel = "AGENT_ID")
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
        say(answer, answer.string("message").orElse(status) + undelivered(answer));
      });
    }
  }

  static String undelivered(JsonObject answer) {
    return answer
        .object("webhook")
        .flatMap(webhook -> webhook.string("error"))
        .map(error -> "; not all webhook endpoints were notified: " + error)
        .orElse("");
  }

  /** The passports of a change of many; an option that is not given does not restrict them. */
  static final class Selection {
    @Option(
        names = "--org",
        paramLabel = "ID",
        description = "Those of this organization. Default: those of all.")
    private @Nullable String org;

    @Option(names = "--framework", paramLabel = "NAME", description = "Those with this framework.")
    private @Nullable String framework;

    @Option(names = "--capability", paramLabel = "ID", description = "Those with this capability.")
    private @Nullable String capability;

    @Option(
        names = "--template",
        paramLabel = "AGENT_ID",
        description = "Those made from this template, directly or not.")
    private @Nullable String template;

    @Option(
        names = "--agent",
        paramLabel = "AGENT_ID",
        split = ",",
        description = "These agents; several with commas between.")
    private @Nullable List<String> agents;

    private JsonObject filter() {
      JsonObject.Builder filter =
          JsonObject.builder()
              .putIfPresent("org_id", Optional.ofNullable(org))
              .putIfPresent("framework", Optional.ofNullable(framework))
              .putIfPresent("capability", Optional.ofNullable(capability))
              .putIfPresent("template_id", Optional.ofNullable(template));
      if (agents != null) {
        filter.put("agent_ids", JsonArray.ofStrings(agents));
      }
      return filter.build();
    }
  }

  /** Sets the status of all selected passports, or of none. */
  @Command(
      name = "status",
      description = {
        "Set the status of all passports that every given option selects.",
        "Skipped are those that have the status, cannot get it, or are not found.",
        RemoteOptions.EXIT + " It is 1, too, when no passport is selected."
      })
  int status(
      @Mixin RemoteOptions options,
      @Parameters(paramLabel = "STATUS", description = "active, suspended or revoked.")
          String status,
      @ArgGroup(exclusive = false, multiplicity = "1") Selection selection,
      @Option(
              names = "--reason",
              required = true,
              paramLabel = "TEXT",
              description = "The reason, stored in the audit log.")
          String reason,
      @Option(names = "--dry-run", description = "Change nothing; show what would change.")
          boolean dryRun,
      @Option(
              names = "--expect",
              paramLabel = "DIGEST",
              description = "Change nothing unless the selection is the one that a dry run showed.")
          @Nullable String expect) {
    return options.call(remote -> {
      JsonObject body =
          JsonObject.builder()
              .put("filter", selection.filter())
              .put("status", status)
              .put("reason", reason)
              .put("dry_run", dryRun)
              .putIfPresent("expect", Optional.ofNullable(expect))
              .build();
      JsonObject answer = remote.post("/api/admin/status/bulk", body);
      options.list(
          answer,
          "passports",
          (dryRun ? "Would change: " : "Changed: ")
              + TextTable.cell(answer.get("changed"))
              + "; skipped: "
              + TextTable.cell(answer.get("skipped"))
              + (dryRun ? "; --expect " + answer.text("selection") : "")
              + undelivered(answer),
          "agent_id",
          "name",
          "org_id",
          "previous_status",
          "status",
          "skipped");
      if (answer.objects("passports").stream()
          .allMatch(passport -> passport.string("status").isEmpty())) {
        throw RemoteException.refused("No passport is selected.");
      }
    });
  }

  /** Sets the assurance level of a passport's owner, with how the operator has verified it. */
  @Command(
      name = "assure",
      description = {
        "Set the assurance level of a passport, after you have verified its owner.",
        RemoteOptions.EXIT
      })
  int assure(
      @Mixin RemoteOptions options,
      @Parameters(paramLabel = "AGENT_ID") String agent,
      @Option(
              names = "--level",
              required = true,
              paramLabel = "LEVEL",
              description = "L0, L1, L2, L3, L4KYC or L4FIN.")
          String level,
      @Option(
              names = "--method",
              required = true,
              paramLabel = "TEXT",
              description = "How you verified the owner, stored in the audit log.")
          String method,
      @Option(
              names = "--evidence",
              paramLabel = "NAME=VALUE",
              description = "Evidence, stored in the audit log; can be repeated.")
          @Nullable Map<String, String> evidence) {
    return options.call(remote -> {
      JsonObject.Builder body =
          JsonObject.builder()
              .put("agent_id", agent)
              .put("assurance_level", level)
              .put("method", method);
      if (evidence != null) {
        JsonObject.Builder members = JsonObject.builder();
        evidence.forEach(members::put);
        body.put("evidence", members.build());
      }
      JsonObject answer = remote.post("/api/admin/assurance", body.build());
      options.say(
          answer,
          "Assurance level "
              + answer.text("assurance_level")
              + ", was "
              + answer.text("previous_assurance_level"));
    });
  }

  /** Suspends a passport; no decision allows the agent from then on. */
  @Command(
      name = "suspend",
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
      description = {"Activate a passport.", RemoteOptions.EXIT})
  int activate(@Mixin Change change) {
    return change.to("active");
  }

  /** Revokes a passport, which is final. */
  @Command(
      name = "revoke",
      description = {"Revoke a passport permanently.", RemoteOptions.EXIT})
  int revoke(@Mixin Change change) {
    return change.to("revoked");
  }
}
