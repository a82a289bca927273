package dev.safeconduct.cli;

import dev.safeconduct.app.Application;
import dev.safeconduct.app.ServerConfig;
import dev.safeconduct.app.StartupBanner;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.FileFault;
import dev.safeconduct.db.Database;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.io.Console;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine.Command;

/** Runs the service until a signal ends it. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = "Run the service. Settings come from environment variables or CONFIG_FILE.")
public final class ServeCommand implements Callable<Integer> {
  /** The exit status of a start that fails for a reason the operator can correct. */
  private static final int EXIT_CONFIGURATION = 2;

  private static final int EXIT_FAULT = 1;

  private static final Duration MOST_CLOSING = Duration.ofMillis(4_600);

  @Override
  public Integer call() throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    try {
      Env env = Env.ofProcess();
      // The logging library reads this property; the value may come from the settings file.
      env.string("LOG_FORMAT").ifPresent(format -> System.setProperty("LOG_FORMAT", format));
      // Loading the library that migrates tables takes as long as all that comes before the
      // database.
      var _ = CompletableFuture.runAsync(Database::prepare);
      ServerConfig config = ServerConfig.from(HttpConfig.withPort(env));
      // The server library logs through java.util.logging; this sends all logs through SLF4J.
      SLF4JBridgeHandler.removeHandlersForRootLogger();
      SLF4JBridgeHandler.install();
      Application application = Application.start(config, InstantSource.system());
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    close(application, config.http().drain());
                    stopped.countDown();
                  },
                  "shutdown"));
      boolean terminal =
          Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
      StartupBanner.show(config, application.firstRun(), terminal, System.out);
    } catch (ConfigFault e) {
      System.err.println("Some settings are not valid:\n" + e.getMessage());
      return EXIT_CONFIGURATION;
    } catch (WrongMasterKeyException | IOException | RuntimeException e) {
      System.err.println("Safeconduct cannot start: " + FileFault.shown(e));
      return EXIT_CONFIGURATION;
    } catch (Error e) { // threads that were started would keep the process alive
      System.err.println("Safeconduct cannot start: " + e);
      LoggerFactory.getLogger(ServeCommand.class).error("The start failed", e);
      return EXIT_FAULT;
    }
    stopped.await();
    return 0;
  }

  /** Ends in time also when something hangs, for example the disk: nothing answered is lost. */
  private static void close(Application application, Duration drain) {
    Thread closing = Thread.ofPlatform().name("closing").daemon().start(application::close);
    try {
      if (!closing.join(drain.plus(MOST_CLOSING))) {
        System.err.println("Safeconduct ends before everything is closed: it takes too long.");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
