package dev.safeconduct.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The service in a process of its own, as it is run; its output is read until it answers. */
public final class ServerProcess implements AutoCloseable {
  private static final AtomicInteger USES = new AtomicInteger();

  private final Process process;
  private final BufferedReader said;
  private final URI base;

  public ServerProcess(Path data, Map<String, String> settings) throws IOException {
    this(data, settings, List.of());
  }

  /** One that may have so many descriptors. */
  public static ServerProcess withDescriptors(
      int descriptors, Path data, Map<String, String> settings) throws IOException {
    String limited = "ulimit -n " + descriptors + " && exec \"$@\"";
    return new ServerProcess(data, settings, List.of("sh", "-c", limited, "sh"));
  }

  private ServerProcess(Path data, Map<String, String> settings, List<String> before)
      throws IOException {
    int port = freePort();
    base = URI.create("http://127.0.0.1:" + port + "/");
    ProcessBuilder builder = safeconduct("serve").redirectErrorStream(true);
    builder.command().addAll(0, before);
    builder.environment().put("DRAIN_SECONDS", "0");
    builder.environment().putAll(settings);
    builder.environment().put("ADMIN_TOKEN", TestService.ADMIN_TOKEN);
    builder.environment().put("PORT", Integer.toString(port));
    builder.environment().put("DATA_DIR", data.toString());
    process = builder.start();
    said = process.inputReader(UTF_8);
  }

  /** How often the tests so far have started a process of the service or got calls to one. */
  static int uses() {
    return USES.get();
  }

  /** Whether the packaged service is tested, as by {@code make attack}. */
  public static boolean isPackaged() {
    return System.getProperty("safeconduct.packaged") != null;
  }

  /**
   * A process that runs the command: the packaged service when {@link #isPackaged}, else these
   * classes with a virtual machine that starts quickly. The property {@code safeconduct.archive}
   * names the archive of classes of the built jar, which is what these classes are in then.
   */
  public static ProcessBuilder safeconduct(String... arguments) {
    USES.incrementAndGet();
    var command = new ArrayList<String>();
    if (isPackaged()) {
      command.add("bin/safeconduct");
    } else {
      command.addAll(
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Xmx256m",
              "--enable-native-access=ALL-UNNAMED",
              "-Dcom.amazon.corretto.crypto.provider.registerEdKeyFactory=true"));
      String archive = System.getProperty("safeconduct.archive");
      if (archive == null) {
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      } else {
        command.add("-XX:SharedArchiveFile=" + Path.of(archive).toAbsolutePath());
        // An archive that the JVM cannot map now and then is passed over, without a word on output.
        command.addAll(List.of("-Xlog:cds*=off", "-Xlog:aot*=off"));
        command.addAll(
            List.of("-cp", Path.of("target/safeconduct.jar").toAbsolutePath().toString()));
      }
      command.add(Main.class.getName());
    }
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** Returns a port on which nothing listens. */
  public static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  public void awaitAnswering() throws IOException {
    var output = new StringBuilder();
    for (String line = said.readLine(); ; line = said.readLine()) {
      assertThat(line).as("the server ended: " + output).isNotNull();
      if (line.contains("answers on")) {
        return;
      }
      output.append(line).append('\n');
    }
  }

  public int port() {
    return base.getPort();
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Asks it to stop, as a supervisor does. */
  public void terminate() {
    process.toHandle().destroy(); // leaves the output to be read
  }

  /** Limits the size of the files that it writes, as a full disk does; "unlimited" frees it. */
  public void limitFiles(String bytes) throws IOException, InterruptedException {
    String pid = Long.toString(process.pid());
    var limit = new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + bytes + ":unlimited");
    assertThat(limit.inheritIO().start().waitFor()).isZero();
  }

  /** What it has said since it answers; it must have ended. */
  public List<String> said() {
    return said.lines().toList();
  }

  /** How it ended, once it has. */
  public int exitStatus() throws InterruptedException {
    return process.waitFor();
  }

  /** Reads on what it says, so that it can go on saying something. */
  void readOn() {
    // Reading of a pipe would hold a carrier of virtual threads.
    Thread.ofPlatform().daemon().start(() -> said.lines().forEach(_ -> {}));
  }

  /** Calls without a credential. */
  public Calls nobody(HttpClient client) {
    return callsTo(client, base);
  }

  /** Calls to an address of a process, without a credential. */
  static Calls callsTo(HttpClient client, URI base) {
    return new Calls(client, used(base));
  }

  /** Notes that the test uses a process at the address. */
  static URI used(URI base) {
    USES.incrementAndGet();
    return base;
  }

  /** Calls with the admin token. */
  public Calls admin(HttpClient client) {
    return nobody(client).with("Authorization", "Bearer " + TestService.ADMIN_TOKEN);
  }

  /** Asks it to stop, and waits until it has. */
  void stop() {
    terminate();
    process.toHandle().onExit().join();
  }

  /** Ends it at once, as a loss of power does. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
  }
}
