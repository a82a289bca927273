package dev.safeconduct.pkcs11;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A PostgreSQL for one test. It refuses to run as root, so then it runs as {@code postgres}. */
final class Postgres implements AutoCloseable {
  private final Path folder;
  private final int port;

  private Postgres(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  static Postgres start() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("safeconduct-pkcs11-postgres");
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    if (isRoot()) {
      done(List.of("chown", "postgres", folder.toString()));
    }
    var server = new Postgres(folder, port);
    server.run("initdb", "--pgdata=" + server.data(), "--auth=trust", "--username=postgres");
    server.run(
        "pg_ctl",
        "--pgdata=" + server.data(),
        "--wait",
        "--log=" + folder.resolve("log"),
        "--options=-p "
            + port
            + " -c listen_addresses=127.0.0.1 -c unix_socket_directories="
            + folder,
        "start");
    return server;
  }

  /** For {@code DATABASE_URL}. */
  String url() {
    return "postgresql://postgres:unused@127.0.0.1:" + port + "/postgres";
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void run(String program, String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    if (isRoot()) {
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.add(bin().resolve(program).toString());
    command.addAll(List.of(arguments));
    done(command);
  }

  /** Its output goes to a file: a server that was started holds on to it. */
  private static void done(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("safeconduct-pkcs11", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int status = process.waitFor();
    String said = Files.readString(output, StandardCharsets.UTF_8);
    Files.delete(output);
    if (status != 0) {
      throw new AssertionError(command + ": " + said);
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Debian's newest, or what is on the path. */
  private static Path bin() throws IOException {
    Path debian = Path.of("/usr/lib/postgresql");
    if (!Files.isDirectory(debian)) {
      return Path.of("");
    }
    try (Stream<Path> versions = Files.list(debian)) {
      return versions.max(Comparator.naturalOrder()).orElseThrow().resolve("bin");
    }
  }

  @Override
  public void close() throws IOException {
    try {
      run("pg_ctl", "--pgdata=" + data(), "--wait", "--mode=immediate", "stop");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the server may still run", e);
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
