package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.Main;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A command of {@code safeconduct} that ran to its end: its exit status and what it printed. */
public record CommandRun(int status, String out, String err) {
  /** The command line as a shell would give it. */
  public static CommandRun safeconduct(String... args) {
    return run(Main.commandLine(args), args);
  }

  /** {@code safeconduct policies …}. */
  public static CommandRun policies(String... args) {
    return run(new CommandLine(new PoliciesCommand()), args);
  }

  /** {@code safeconduct policies replay …} with these settings. */
  public static CommandRun replay(Map<String, String> settings, String... args) {
    return run(new CommandLine(new ReplayCommand(() -> new Env(settings))), args);
  }

  /** {@code safeconduct suggest …} with these settings. */
  public static CommandRun suggest(Map<String, String> settings, String... args) {
    return run(new CommandLine(new SuggestCommand(() -> new Env(settings))), args);
  }

  /** {@code safeconduct hook …} with these settings. */
  public static CommandRun hook(Map<String, String> settings, String... args) {
    return run(new CommandLine(new HookCommand(() -> new Env(settings))), args);
  }

  /** {@code safeconduct audit accept …} with these settings. */
  public static CommandRun accept(Map<String, String> settings, String... args) {
    return run(new CommandLine(new AcceptCommand(() -> new Env(settings))), args);
  }

  /** {@code safeconduct backup …} with these settings. */
  public static CommandRun backup(Map<String, String> settings, Path folder) {
    return run(new CommandLine(new BackupCommand(() -> new Env(settings))), folder.toString());
  }

  /** {@code safeconduct restore …} with these settings. */
  public static CommandRun restore(Map<String, String> settings, String... args) {
    return run(new CommandLine(new RestoreCommand(() -> new Env(settings))), args);
  }

  /** {@code safeconduct upgrade-check} with these settings. */
  public static CommandRun upgradeCheck(Map<String, String> settings, String... args) {
    return run(new CommandLine(new UpgradeCheckCommand(() -> Env.of(settings))), args);
  }

  /** {@code safeconduct audit export …} with these settings. */
  public static CommandRun export(Map<String, String> settings, String... args) {
    return run(new CommandLine(new ExportCommand(() -> new Env(settings))), args);
  }

  /** {@code safeconduct audit verify …} with these settings. */
  public static CommandRun auditVerify(Map<String, String> settings, String... args) {
    return run(new CommandLine(new AuditCommand.Verify(() -> new Env(settings))), args);
  }

  /** {@code safeconduct verify-receipt FILE --keys KEYS …}. */
  public static CommandRun verifyReceipt(Path file, Path keys, String... more) {
    return run(
        out -> new CommandLine(new VerifyReceiptCommand(() -> out)),
        Stream.concat(Stream.of(file.toString(), "--keys", keys.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  private static CommandRun run(CommandLine command, String... args) {
    return run(_ -> command, args);
  }

  private static CommandRun run(Function<PrintWriter, CommandLine> command, String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    var printed = new PrintWriter(out, true);
    int status =
        command.apply(printed).setOut(printed).setErr(new PrintWriter(err, true)).execute(args);
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
