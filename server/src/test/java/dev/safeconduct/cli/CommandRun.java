package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.Main;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.ServerProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A command of {@code safeconduct} that ran to its end: its exit status and what it printed. */
public record CommandRun(int status, String out, String err) {
  /** The command line as a shell would give it. */
  public static CommandRun safeconduct(String... args) {
    return ServerProcess.isPackaged()
        ? packaged(Map.of(), List.of(), args)
        : run(Main.commandLine(args), args);
  }

  /** {@code safeconduct policies …}. */
  public static CommandRun policies(String... args) {
    return run(new CommandLine(new PoliciesCommand()), args);
  }

  /** {@code safeconduct policies replay …} with these settings. */
  public static CommandRun replay(Map<String, String> settings, String... args) {
    return run(settings, "policies replay", ReplayCommand.class, args);
  }

  /** {@code safeconduct suggest …} with these settings. */
  public static CommandRun suggest(Map<String, String> settings, String... args) {
    return run(settings, "suggest", SuggestCommand.class, args);
  }

  /** {@code safeconduct hook …} with these settings. */
  public static CommandRun hook(Map<String, String> settings, String... args) {
    return run(settings, "hook", HookCommand.class, args);
  }

  /** {@code safeconduct audit accept …} with these settings. */
  public static CommandRun accept(Map<String, String> settings, String... args) {
    return run(settings, "audit accept", AcceptCommand.class, args);
  }

  /** {@code safeconduct backup …} with these settings. */
  public static CommandRun backup(Map<String, String> settings, Path folder) {
    return run(settings, "backup", BackupCommand.class, folder.toString());
  }

  /** {@code safeconduct restore …} with these settings. */
  public static CommandRun restore(Map<String, String> settings, String... args) {
    return run(settings, "restore", RestoreCommand.class, args);
  }

  /** {@code safeconduct upgrade-check} with these settings. */
  public static CommandRun upgradeCheck(Map<String, String> settings, String... args) {
    return run(settings, "upgrade-check", UpgradeCheckCommand.class, args);
  }

  /** {@code safeconduct audit export …} with these settings. */
  public static CommandRun export(Map<String, String> settings, String... args) {
    return run(settings, "audit export", ExportCommand.class, args);
  }

  /** {@code safeconduct audit verify …} with these settings. */
  public static CommandRun auditVerify(Map<String, String> settings, String... args) {
    return run(settings, "audit verify", AuditCommand.Verify.class, args);
  }

  /** What {@code safeconduct audit verify} finds in a data folder, given these checkpoints. */
  public static List<String> faults(Path dataDir, String... checkpoints) throws IOException {
    var args = new ArrayList<String>();
    for (String checkpoint : checkpoints) {
      Path file = Files.createTempFile(dataDir, "checkpoint", null);
      args.add("--checkpoint=" + Files.writeString(file, checkpoint));
    }
    CommandRun run =
        auditVerify(Map.of("DATA_DIR", dataDir.toString()), args.toArray(String[]::new));
    List<String> faults =
        run.out()
            .lines()
            .filter(line -> line.startsWith("FAULT "))
            .map(line -> line.substring("FAULT ".length()))
            .toList();
    assertThat(run.status()).as(run.out() + run.err()).isEqualTo(faults.isEmpty() ? 0 : 1);
    return faults;
  }

  /** {@code safeconduct verify-receipt FILE --keys KEYS …}. */
  public static CommandRun verifyReceipt(Path file, Path keys, String... more) {
    return safeconduct(
        Stream.concat(
                Stream.of("verify-receipt", file.toString(), "--keys", keys.toString()),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private static CommandRun run(
      Map<String, String> settings, String name, Class<?> command, String... args) {
    return ServerProcess.isPackaged()
        ? packaged(settings, List.of(name.split(" ", -1)), args)
        : run(new CommandLine(command, new Settings(settings)), args);
  }

  /** Makes commands that read these settings instead of the process's. */
  private record Settings(Map<String, String> values) implements CommandLine.IFactory {
    @Override
    public <K> K create(Class<K> type) throws Exception {
      return type == Terminal.class
          ? type.cast(new Terminal(() -> Env.of(values)))
          : CommandLine.defaultFactory().create(type);
    }
  }

  /** Runs the packaged program, as a shell would. */
  private static CommandRun packaged(
      Map<String, String> settings, List<String> name, String... args) {
    String[] words = Stream.concat(name.stream(), Stream.of(args)).toArray(String[]::new);
    ProcessBuilder builder = ServerProcess.safeconduct(words);
    builder.environment().putAll(settings);
    try {
      Path err = Files.createTempFile("safeconduct-command", null);
      try {
        Process process = builder.redirectError(err.toFile()).start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new CommandRun(process.waitFor(), out, Files.readString(err));
      } finally {
        Files.delete(err);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static CommandRun run(CommandLine command, String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    int status =
        command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)).execute(args);
    return new CommandRun(status, out.toString(), err.toString());
  }

  /** What a command that succeeded printed, without the last line's end. */
  public String line() {
    assertThat(status).as(err).isZero();
    return out.strip();
  }

  /** What a command that succeeded printed, read as JSON. */
  public JsonObject json() {
    try {
      return Json.parseObject(line().getBytes(UTF_8));
    } catch (JsonFault e) {
      throw new AssertionError("not JSON: " + out, e);
    }
  }
}
