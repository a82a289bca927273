package dev.safeconduct;

import dev.safeconduct.app.Version;
import dev.safeconduct.cli.AdminCommand;
import dev.safeconduct.cli.ApplyCommand;
import dev.safeconduct.cli.AuditCommand;
import dev.safeconduct.cli.BackupCommand;
import dev.safeconduct.cli.EnforceCommand;
import dev.safeconduct.cli.HaltCommand;
import dev.safeconduct.cli.HookCommand;
import dev.safeconduct.cli.KeysCommand;
import dev.safeconduct.cli.McpServerCommand;
import dev.safeconduct.cli.ObserveCommand;
import dev.safeconduct.cli.OrgsCommand;
import dev.safeconduct.cli.PassportsCommand;
import dev.safeconduct.cli.PlanCommand;
import dev.safeconduct.cli.PoliciesCommand;
import dev.safeconduct.cli.PullCommand;
import dev.safeconduct.cli.RestoreCommand;
import dev.safeconduct.cli.ResumeCommand;
import dev.safeconduct.cli.ServeCommand;
import dev.safeconduct.cli.SuggestCommand;
import dev.safeconduct.cli.TestCommand;
import dev.safeconduct.cli.UpgradeCheckCommand;
import dev.safeconduct.cli.UsersCommand;
import dev.safeconduct.cli.ValidateCommand;
import dev.safeconduct.cli.VerifyReceiptCommand;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line. */
@Command(
    name = "safeconduct",
    mixinStandardHelpOptions = true,
    versionProvider = Main.VersionText.class,
    description = "Decides whether an AI agent may do what it is about to do.",
    footerHeading = "Programs of their own, which bin/safeconduct also starts:%n",
    footer = {
      "  exec, check     Ask for a decision; exec then runs a command if it is allowed",
      "                    (docs/ci.md).",
      "  mcp-gateway     Ask before each request of an MCP client that acts",
      "                    (docs/mcp-gateway.md)."
    })
public final class Main {
  private static final List<Class<?>> COMMANDS =
      List.of(
          ServeCommand.class,
          PassportsCommand.class,
          KeysCommand.class,
          AdminCommand.class,
          OrgsCommand.class,
          UsersCommand.class,
          HaltCommand.class,
          ResumeCommand.class,
          ObserveCommand.class,
          EnforceCommand.class,
          PoliciesCommand.class,
          PlanCommand.class,
          ApplyCommand.class,
          PullCommand.class,
          ValidateCommand.class,
          TestCommand.class,
          SuggestCommand.class,
          AuditCommand.class,
          BackupCommand.class,
          RestoreCommand.class,
          UpgradeCheckCommand.class,
          HookCommand.class,
          VerifyReceiptCommand.class,
          McpServerCommand.class);

  private Main() {}

  /** Returns the text that {@code --version} prints. */
  static final class VersionText implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"safeconduct " + Version.current()};
    }
  }

  /**
   * Builds the command line with the subcommand that the arguments name, or with all subcommands.
   * Building all of them takes a fifteenth of the time to the first response.
   */
  public static CommandLine commandLine(String... args) {
    var root = new CommandLine(new Main());
    List<Class<?>> named =
        COMMANDS.stream().filter(command -> args.length > 0 && isNamed(command, args[0])).toList();
    (named.isEmpty() ? COMMANDS : named).forEach(root::addSubcommand);
    if (named.isEmpty()) {
      root.addSubcommand(CommandLine.HelpCommand.class);
    }
    root.registerConverter(int.class, text -> number(text, Integer::valueOf));
    root.registerConverter(long.class, text -> number(text, Long::valueOf));
    return root;
  }

  private static <T> T number(String text, Function<String, T> read) {
    try {
      return read.apply(text);
    } catch (NumberFormatException e) {
      throw new CommandLine.TypeConversionException("'" + text + "' is not a valid whole number");
    }
  }

  private static boolean isNamed(Class<?> command, String name) {
    Command named = command.getAnnotation(Command.class);
    return named.name().equals(name) || List.of(named.aliases()).contains(name);
  }

  public static void main(String[] args) throws InterruptedException {
    // `serve` alone has nothing to parse, and a command line takes a tenth of the time to the first
    // response.
    boolean serve = args.length == 1 && args[0].equals("serve");
    int status = serve ? new ServeCommand().call() : commandLine(args).execute(args);
    if (status != 0) {
      System.exit(status);
    }
  }
}
