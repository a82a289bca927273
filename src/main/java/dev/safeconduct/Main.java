package dev.safeconduct;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.io.Console;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line. */
@Command(
    name = "safeconduct",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    description = "The service an AI agent asks before it acts.")
public final class Main {
  private static final List<Class<?>> COMMANDS =
      List.of(
          Serve.class,
          PassportsCommand.class,
          KeysCommand.class,
          OrgsCommand.class,
          UsersCommand.class,
          PoliciesCommand.class,
          AuditCommand.class,
          VerifyReceiptCommand.class);

  /** A start that failed for a reason the operator can mend. */
  private static final int EXIT_CONFIGURATION = 2;

  private Main() {}

  /**
   * The settings; nothing else reads the environment.
   *
   * @throws ConfigFault when the file of settings cannot be read
   */
  static Env environment() {
    return Env.of(System.getenv());
  }

  /**
   * The command that the arguments begin with, or all. Reading what all of them take would be a
   * fifteenth of the time to the first answer.
   */
  static CommandLine commandLine(String... args) {
    var root = new CommandLine(new Main());
    List<Class<?>> named =
        COMMANDS.stream()
            .filter(command -> args.length > 0 && name(command).equals(args[0]))
            .toList();
    (named.isEmpty() ? COMMANDS : named).forEach(root::addSubcommand);
    return root;
  }

  private static String name(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  public static void main(String[] args) {
    int status = commandLine(args).execute(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  /** The version in the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"safeconduct " + ofThis()};
    }

    static String ofThis() {
      String version = Main.class.getPackage().getImplementationVersion();
      return version == null ? "(unpackaged)" : version;
    }
  }

  /** Serves until it is told to stop by a signal. */
  @Command(
      name = "serve",
      mixinStandardHelpOptions = true,
      description = "Serve the API; settings come from the environment.")
  static final class Serve implements Callable<Integer> {
    @Override
    public Integer call() throws InterruptedException {
      CountDownLatch stopped = new CountDownLatch(1);
      try {
        Env env = environment();
        // Where the logging library looks for it; it may stand in the file of settings.
        env.string("LOG_FORMAT").ifPresent(format -> System.setProperty("LOG_FORMAT", format));
        ServiceConfig config = ServiceConfig.from(HttpConfig.withPort(env));
        // The server library logs through java.util.logging; one place for all.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        Service service = Service.start(config, InstantSource.system());
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(
                    () -> {
                      service.close();
                      stopped.countDown();
                    },
                    "shutdown"));
        Welcome.show(
            config.http().baseUrl().toString(),
            new FirstRunFile(config.dataDir()),
            service.firstOrganization(),
            service.newAdminToken(),
            service.firstOwner(),
            config.mail().smtp().isPresent()
                ? Optional.empty()
                : Optional.of(config.dataDir().resolve("outbox")),
            Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent(),
            System.out);
      } catch (ConfigFault e) {
        System.err.println("These settings do not fit:\n" + e.getMessage());
        return EXIT_CONFIGURATION;
      } catch (WrongMasterKeyException | IOException | RuntimeException e) {
        System.err.println("Safeconduct cannot start: " + e.getMessage());
        return EXIT_CONFIGURATION;
      }
      stopped.await();
      return 0;
    }
  }
}
