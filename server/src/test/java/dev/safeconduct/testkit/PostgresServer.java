package dev.safeconduct.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.db.Database;
import dev.safeconduct.db.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A PostgreSQL of the tests' own: a fresh cluster in a temporary folder, on a free loopback port.
 * It refuses to run as root, so then it runs as the user {@code postgres}.
 */
public final class PostgresServer implements AutoCloseable {
  /** The database with all tables, which others are copies of. */
  private static final String TABLES = "tables";

  private final Path bin;
  private final Path folder;
  private final int port;
  private final String settings;
  private boolean hasTables;

  private PostgresServer(Path bin, Path folder, int port, String settings) {
    this.bin = bin;
    this.folder = folder;
    this.port = port;
    this.settings = settings;
  }

  /**
   * The one server of this JVM, stopped when the JVM ends. It does not survive a loss of power, and
   * nothing tidies its databases, which are used for seconds.
   */
  public static PostgresServer shared() {
    return Shared.SERVER;
  }

  private static PostgresServer inNewFolder(String settings) throws IOException {
    Path folder = Files.createTempDirectory("safeconduct-postgres");
    if (isRoot()) {
      run(List.of("chown", "postgres", folder.toString()));
    }
    var server = new PostgresServer(findBin(), folder, ServerProcess.freePort(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    return server;
  }

  /** Makes a cluster and starts it, with fsync on. */
  public static PostgresServer start() {
    return start("");
  }

  private static PostgresServer start(String settings) {
    try {
      PostgresServer server = inNewFolder(settings);
      server.asOwner(
          "initdb",
          "--no-sync",
          "--pgdata=" + server.data(),
          "--auth=trust",
          "--username=postgres",
          "-E",
          "UTF8");
      server.resume();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a copy of this server, which must be stopped: as a standby that had everything and was
   * promoted.
   */
  public PostgresServer startCopy() {
    try {
      PostgresServer copy = inNewFolder(settings);
      run(List.of("cp", "--archive", data().toString(), copy.data().toString()));
      copy.resume();
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends all connections to it. */
  public void disconnectAll() {
    run(
        List.of(
            bin.resolve("psql").toString(),
            "--host=127.0.0.1",
            "--port=" + port,
            "--username=postgres",
            "--command=SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"));
  }

  public int port() {
    return port;
  }

  /** Starts it (again). */
  public void resume() {
    asOwner(
        "pg_ctl",
        "--pgdata=" + data(),
        "--wait",
        "--log=" + folder.resolve("log"),
        "--options=-p "
            + port
            + " -c listen_addresses=127.0.0.1 -c unix_socket_directories="
            + folder
            + " -c max_connections=200"
            + settings,
        "start");
  }

  /** Stops it at once, as a crash would: {@code pg_ctl stop -m immediate}. */
  public void crash() {
    asOwner("pg_ctl", "--pgdata=" + data(), "--wait", "--mode=immediate", "stop");
  }

  /** Stops all its processes where they are: connections stay open, and nothing answers. */
  public void freeze() {
    signal("-STOP");
  }

  /** Lets them go on. */
  public void thaw() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      long first = Long.parseLong(Files.readAllLines(data().resolve("postmaster.pid")).getFirst());
      ProcessHandle server = ProcessHandle.of(first).orElseThrow();
      var command = new StringBuilder("kill " + signal + " " + first);
      server.descendants().forEach(process -> command.append(' ').append(process.pid()));
      run(List.of("sh", "-c", command + " || true")); // some may have ended meanwhile
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of a database made just now, without tables. */
  public String freshDatabase() {
    return database("t" + UUID.randomUUID().toString().replace("-", ""), "template1");
  }

  /** As {@link #freshDatabase}, with the tables that the service would make: a copy of them. */
  public synchronized String databaseWithTables() {
    if (!hasTables) {
      Database.open(StoreConfig.postgres(database(TABLES, "template1"))).close();
      hasTables = true;
    }
    return database("t" + UUID.randomUUID().toString().replace("-", ""), TABLES);
  }

  private String database(String name, String template) {
    run(
        List.of(
            bin.resolve("createdb").toString(),
            "--host=127.0.0.1",
            "--port=" + port,
            "--username=postgres",
            "--template=" + template,
            name));
    return "postgresql://postgres:unused@127.0.0.1:" + port + "/" + name;
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void asOwner(String program, String... arguments) {
    var command = new ArrayList<String>();
    if (isRoot()) {
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.add(bin.resolve(program).toString());
    command.addAll(List.of(arguments));
    run(command);
  }

  private static void run(List<String> command) {
    try {
      Path output = Files.createTempFile("safeconduct-command", ".txt");
      try {
        Process process =
            new ProcessBuilder(command)
                .directory(Path.of("/").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (process.waitFor() != 0) {
          throw new IllegalStateException(command + ": " + Files.readString(output, UTF_8));
        }
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static Path findBin() throws IOException {
    Path debian = Path.of("/usr/lib/postgresql");
    var candidates = new ArrayList<Path>();
    if (Files.isDirectory(debian)) {
      try (Stream<Path> versions = Files.list(debian)) {
        versions
            .sorted(Comparator.comparing(Path::toString).reversed())
            .forEach(version -> candidates.add(version.resolve("bin")));
      }
    }
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      candidates.add(Path.of(folder));
    }
    return candidates.stream()
        .filter(folder -> Files.isExecutable(folder.resolve("initdb")))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("no PostgreSQL found; on Debian: postgresql-15"));
  }

  /** Stops it and deletes the cluster. */
  @Override
  public void close() {
    try {
      if (Files.exists(data().resolve("postmaster.pid"))) {
        crash();
      }
      if (Files.exists(folder)) {
        try (Stream<Path> files = Files.walk(folder)) {
          for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Shared {
    static final PostgresServer SERVER =
        start(" -c fsync=off -c full_page_writes=off -c autovacuum=off");
  }
}
