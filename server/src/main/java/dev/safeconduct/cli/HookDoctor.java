package dev.safeconduct.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks an installed hook and prints what it finds. */
final class HookDoctor {
  private final HookPlaces places;
  private final @Nullable Path packaged;
  private final PrintWriter out;
  private boolean healthy = true;

  HookDoctor(HookPlaces places, @Nullable Path packaged, PrintWriter out) {
    this.places = places;
    this.packaged = packaged;
    this.out = out;
  }

  /** Returns whether nothing was wrong so far; warnings count as right. */
  boolean isHealthy() {
    return healthy;
  }

  /** Checks one file with the hook in it. */
  void check(HookPlaces.Found in, @Nullable AgentVersion version) {
    AgentFiles agent = in.agent();
    print(agent.name() + ", " + in.scope() + ": " + in.file().path());
    try {
      String text = in.file().text().orElse("");
      String command = in.format().commands(text).getFirst();
      HookCommandLine line = HookCommandLine.read(command).orElseThrow();
      check(
          in.format().holds(text, command),
          "the file holds every entry in its closed mode",
          "entries are missing or changed: run install again");
      checkModes(in.file().target());
      checkProgram(line.program());
      checkSwitches(agent);
      checkVersion(agent, version);
      checkService(line);
      checkCanary(in, command, false);
      checkCanary(in, command, true);
    } catch (HookFault e) {
      check(false, "", in.file().path() + ": " + e.text());
    }
    print("  note  " + agent.failure() + ".");
    agent.notes(in.scope()).forEach(note -> print("  note  " + note));
  }

  private void checkModes(Path file) {
    for (Path each : new Path[] {file, file.getParent()}) {
      try {
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(each);
        check(
            !mode.contains(PosixFilePermission.OTHERS_WRITE),
            "only its owner and group may write " + each,
            "everybody may write " + each + ": chmod o-w");
      } catch (IOException _) {
        check(false, "", each + " cannot be read");
      }
    }
  }

  private void checkProgram(Path program) {
    boolean same = true;
    for (String name : List.of(HookCommandLine.PROGRAM, "ask.sh")) {
      same = same && isPackaged(program.resolveSibling(name));
    }
    check(
        same && Files.isExecutable(program),
        program + " is the packaged program",
        program + " is missing, changed or writable by everybody: install the package again");
  }

  private boolean isPackaged(Path file) {
    try {
      return packaged != null
          && Files.mismatch(file, packaged.resolveSibling(file.getFileName())) < 0
          && !Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE);
    } catch (IOException _) {
      return false;
    }
  }

  private void checkSwitches(AgentFiles agent) {
    for (AgentFiles.Switch each : agent.switches()) {
      Path path = places.resolve(agent, each.file());
      try {
        Optional<String> text = ConfigFile.read(path, null).text();
        if (text.isPresent() && Pattern.compile(each.text()).matcher(text.get()).find()) {
          check(false, "", path + ": " + each.says());
        }
      } catch (HookFault e) {
        warn(e.text());
      }
    }
  }

  private void checkVersion(AgentFiles agent, @Nullable AgentVersion version) {
    if (version == null) {
      warn("the version of " + agent.name() + " is unknown: " + agent.program() + " --version");
      return;
    }
    boolean limited = false;
    for (AgentFiles.Limit limit : agent.limits()) {
      if (version.isBelow(AgentVersion.of(limit.below()))) {
        warn("version " + version + " is below " + limit.below() + ": " + limit.says());
        limited = true;
      }
    }
    if (!limited) {
      check(true, "version " + version, "");
    }
  }

  private void checkService(HookCommandLine line) {
    HookKey key = HookKey.of(line.keyFile().orElse(null), line.agent(), places);
    if (HookKey.inEnvironment(line, places).isPresent()) {
      warn("the key is in SAFECONDUCT_API_KEY: the agent must have it too; a file is safer");
    } else {
      check(
          key.fault().isEmpty(),
          "the key file " + key.file() + " may be read by its owner only",
          key.fault().orElse(""));
    }
    HookConnection service = HookConnection.ask(line, places);
    check(service.reachable(), "the service answers at " + line.url(), service.passport());
    if (service.reachable()) {
      check(
          service.isActive(),
          "the passport " + line.agentId() + " is active",
          "the passport " + line.agentId() + ": " + service.passport());
    }
  }

  private void checkCanary(HookPlaces.Found in, String command, boolean allow) {
    String call =
        !allow
            ? "a write to " + in.file().path()
            : in.agent().readsToBeAllowed()
                ? "a read in " + places.project() + " (this agent has no lesser call)"
                : "a call that does nothing";
    try {
      HookCanary canary = HookCanary.run(in, command, allow, places);
      String wanted = allow ? "allowed" : "denied";
      check(
          canary.isRight(), call + " is " + wanted, call + " is not " + wanted + " as it must be");
      HookProcess answer = canary.answer();
      print("          stdout: " + TextTable.plain(answer.out().strip()));
      print("          stderr: " + TextTable.plain(answer.err().strip()));
      print(
          "          exit status: "
              + (answer.status() == HookProcess.STOPPED ? "stopped, too slow" : answer.status()));
    } catch (IOException _) {
      check(false, "", call + ": the shell cannot be started");
    }
  }

  private void check(boolean right, String good, String bad) {
    healthy &= right;
    print(right ? "  ok    " + good : "  WRONG " + bad);
  }

  private void warn(String what) {
    print("  warn  " + what);
  }

  private void print(String line) {
    out.println(line);
  }
}
