package dev.safeconduct.cli;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts the hook into agents' configuration files, takes it out and checks it. */
@Command(
    name = "hook",
    mixinStandardHelpOptions = true,
    description = {
      "Have a coding agent ask the service before each tool call: put the hook into the agent's own"
          + " configuration file, take it out, and check it.",
      "Agents: claude-code, cursor, codex, gemini-cli, copilot, vscode, windsurf, goose, kiro,"
          + " amazon-q.",
      "An agent that runs as you can edit your files: where others must not be able to remove the"
          + " hook, install it with --managed."
    })
public final class HookCommand {
  private static final int FAULT = 2;
  private static final String EXIT =
      "Exit status: 0 done, 2 nothing was changed, and why is on standard error.";

  @Mixin private Terminal terminal;

  /** Puts the hook in. */
  @Command(
      name = "install",
      mixinStandardHelpOptions = true,
      description = {
        "Put the hook into the agent's configuration file; other content stays. A backup stands"
            + " beside the file. Installing twice changes nothing.",
        EXIT
      })
  int install(
      @Parameters(paramLabel = "AGENT") String name,
      @Mixin HookTarget target,
      @Mixin HookLineOptions options,
      @Option(names = "--dry-run", description = "Print the difference and write nothing.")
          boolean dryRun) {
    return run(env -> {
      AgentFiles agent = AgentFiles.of(name);
      HookPlaces places = target.places(env);
      String scope = target.scope();
      HookCommandLine line = options.line(name, env);
      List<HookPlaces.Found> files = target.find(places, agent, List.of(scope));
      if (files.isEmpty()) {
        throw new HookFault(noPlace(agent, scope));
      }
      List<HookInstaller.Change> changes = HookInstaller.install(files, line.text());
      Optional<String> key = options.key(places, name, scope, !dryRun);
      for (HookInstaller.Change change : changes) {
        if (dryRun) {
          out().print(change.diff());
        } else {
          change.write();
          out().println("Installed in " + change.file().path() + backup(change));
        }
      }
      if (changes.isEmpty()) {
        out().println("The hook is installed already; nothing is changed.");
      }
      if (!dryRun) {
        advise(agent, scope, env, key);
      }
      return 0;
    });
  }

  private static String backup(HookInstaller.Change change) {
    return change.original().isPresent() ? "; backup: " + change.file().backupPath() : "";
  }

  private static String noPlace(AgentFiles agent, String scope) {
    return agent.places(scope).isEmpty()
        ? agent.name() + " has no hooks of the scope " + scope + "."
        : "There is no file "
            + agent.places(scope).getFirst().file()
            + ": make an agent in "
            + agent.name()
            + " first, or name its file with --file.";
  }

  private void advise(AgentFiles agent, String scope, Env env, Optional<String> key) {
    out().println(agent.failure() + ".");
    Optional<AgentVersion> version = AgentVersion.found(agent, env);
    for (AgentFiles.Limit limit : agent.limits()) {
      if (version.isPresent() && version.get().isBelow(AgentVersion.of(limit.below()))) {
        out().println("Warning: version " + version.get() + ": " + limit.says() + ".");
      }
    }
    key.ifPresent(
        fault -> out().println("Warning: no API key: " + fault + ". Store one with --key-stdin."));
    agent.notes(scope).forEach(note -> out().println("Note: " + note));
    if (!scope.equals("managed")) {
      out()
          .println(
              "Note: the agent runs as you and can edit this file by other means than its tools;"
                  + " only --managed prevents that.");
    }
    out().println("Check it: safeconduct hook doctor " + agent.id());
  }

  /** Takes the hook out. */
  @Command(
      name = "uninstall",
      mixinStandardHelpOptions = true,
      description = {
        "Take the hook out of the agent's configuration files; other content stays.",
        EXIT
      })
  int uninstall(
      @Parameters(paramLabel = "AGENT") String name,
      @Mixin HookTarget target,
      @Option(names = "--dry-run", description = "Print the difference and write nothing.")
          boolean dryRun) {
    return run(env -> {
      AgentFiles agent = AgentFiles.of(name);
      HookPlaces places = target.places(env);
      List<HookPlaces.Found> files = target.find(places, agent, target.scopes());
      List<HookInstaller.Change> changes = HookInstaller.uninstall(files);
      for (HookInstaller.Change change : changes) {
        if (dryRun) {
          out().print(change.diff());
        } else {
          change.write();
          out().println("Removed from " + change.file().path());
        }
      }
      if (changes.isEmpty()) {
        out().println("The hook is not installed; nothing is changed.");
      }
      return 0;
    });
  }

  /** Lists what is installed. */
  @Command(
      name = "status",
      mixinStandardHelpOptions = true,
      description = {
        "List the agents: version, file with the hook, closed mode, service and passport.",
        EXIT
      })
  int status(
      @Parameters(paramLabel = "AGENT", arity = "0..1") @Nullable String name,
      @Mixin HookTarget target) {
    return run(env -> {
      HookPlaces places = target.places(env);
      var rows = new ArrayList<JsonObject>();
      for (AgentFiles agent : agents(name)) {
        Optional<AgentVersion> version = AgentVersion.found(agent, env);
        List<HookPlaces.Found> installed = target.installed(places, agent);
        for (HookPlaces.Found found : installed) {
          rows.add(row(agent, version, Optional.of(found), places));
        }
        if (installed.isEmpty()) {
          rows.add(row(agent, version, Optional.empty(), places));
        }
      }
      TextTable.print(
          out(), rows, "agent", "version", "installed", "closed", "service", "passport", "file");
      return 0;
    });
  }

  private static JsonObject row(
      AgentFiles agent,
      Optional<AgentVersion> version,
      Optional<HookPlaces.Found> found,
      HookPlaces places) {
    JsonObject.Builder row =
        JsonObject.builder()
            .put("agent", agent.id())
            .putIfPresent("version", version.map(AgentVersion::toString))
            .put("installed", found.map(HookPlaces.Found::scope).orElse("no"));
    if (found.isEmpty()) {
      return row.build();
    }
    row.put("file", found.get().file().path().toString());
    try {
      HookCommandLine line = found.get().command().orElseThrow();
      HookConnection service = HookConnection.ask(line, places);
      row.put("closed", closed(agent, version))
          .put("service", service.reachable() ? "reachable" : "unreachable")
          .put("passport", service.reachable() ? service.passport() : "unknown");
    } catch (HookFault e) {
      row.put("installed", "broken: " + e.text());
    }
    return row.build();
  }

  private static String closed(AgentFiles agent, Optional<AgentVersion> version) {
    return agent
        .closedSince()
        .map(since ->
            version.isPresent() && version.get().isBelow(AgentVersion.of(since)) ? "no" : "yes")
        .orElse("no");
  }

  /** Tries what is installed. */
  @Command(
      name = "doctor",
      mixinStandardHelpOptions = true,
      description = {
        "Check what is installed, and run the hook as the agent would: with a call that must be"
            + " denied and one that must be allowed. Both are recorded like other decisions.",
        "Exit status: 0 all is right, 1 something is wrong or nothing is installed, 2 a file"
            + " cannot be read."
      })
  int doctor(
      @Parameters(paramLabel = "AGENT", arity = "0..1") @Nullable String name,
      @Mixin HookTarget target) {
    return run(env -> {
      HookPlaces places = target.places(env);
      var doctor = new HookDoctor(places, HookLineOptions.packaged().orElse(null), out());
      int checked = 0;
      for (AgentFiles agent : agents(name)) {
        List<HookPlaces.Found> installed = target.installed(places, agent);
        if (!installed.isEmpty()) {
          AgentVersion version = AgentVersion.found(agent, env).orElse(null);
          installed.forEach(found -> doctor.check(found, version));
          checked += installed.size();
        }
      }
      if (checked == 0) {
        out().println("No hook is installed; install one with: safeconduct hook install");
      }
      return checked > 0 && doctor.isHealthy() ? 0 : 1;
    });
  }

  private static List<AgentFiles> agents(@Nullable String name) throws HookFault {
    return name == null ? AgentFiles.all() : List.of(AgentFiles.of(name));
  }

  /** What a command does with the settings; returns the exit status. */
  private interface Action {
    int run(Env env) throws HookFault;
  }

  private int run(Action action) {
    try {
      return action.run(terminal.env());
    } catch (ConfigFault e) {
      return complain(String.valueOf(e.getMessage()));
    } catch (HookFault e) {
      return complain(e.text());
    } finally {
      out().flush();
    }
  }

  private int complain(String what) {
    terminal.err().println(TextTable.plain(what));
    return FAULT;
  }

  private PrintWriter out() {
    return terminal.out();
  }
}
