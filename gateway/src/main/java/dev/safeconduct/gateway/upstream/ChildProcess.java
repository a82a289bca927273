package dev.safeconduct.gateway.upstream;

import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.rpc.LineReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The program of an MCP server: started without a shell, with few variables, in a process group of
 * its own that ends with it.
 */
final class ChildProcess implements AutoCloseable {
  private static final List<String> INHERITED =
      List.of(
          "HOME",
          "LANG",
          "LC_ALL",
          "LC_CTYPE",
          "LOGNAME",
          "PATH",
          "SHELL",
          "TERM",
          "TMPDIR",
          "TZ",
          "USER");
  private static final List<Path> SETSID =
      List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));
  private static final int MAX_LOG_LINE = 4096;
  private static final long PATIENCE_SECONDS = 1;

  private final Process process;
  private final boolean isGroup;
  private final Thread hook;

  /**
   * Starts the program.
   *
   * @param log takes the lines of its standard error
   * @throws IOException if it cannot be started
   */
  ChildProcess(ServerConfig server, Map<String, String> environment, Consumer<String> log)
      throws IOException {
    var command = new ArrayList<String>();
    SETSID.stream()
        .filter(Files::isExecutable)
        .findFirst()
        .ifPresent(path -> command.add(path.toString()));
    isGroup = !command.isEmpty();
    command.addAll(server.command());
    var builder = new ProcessBuilder(command);
    Map<String, String> variables = builder.environment();
    variables.clear();
    Stream.concat(INHERITED.stream(), server.env().stream())
        .filter(environment::containsKey)
        .forEach(name -> variables.put(name, environment.getOrDefault(name, "")));
    process = builder.start();
    hook = new Thread(this::kill, "safeconduct-end-" + server.name());
    Runtime.getRuntime().addShutdownHook(hook);
    var relay =
        new Thread(
            () -> relay(process.getErrorStream(), server.name(), log),
            "safeconduct-stderr-" + server.name());
    relay.setDaemon(true);
    relay.start();
  }

  private static void relay(InputStream errors, String name, Consumer<String> log) {
    var lines = new LineReader(errors, MAX_LOG_LINE);
    try {
      for (byte[] line = lines.read(); line != null; line = lines.read()) {
        String text =
            new String(line, StandardCharsets.UTF_8).replaceAll("[\\p{Cntrl}&&[^\t]]", "?");
        log.accept("[" + name + "] " + text + (lines.isCut() ? " …" : ""));
      }
    } catch (IOException e) {
      // The program has ended.
    }
  }

  InputStream output() {
    return process.getInputStream();
  }

  OutputStream input() {
    return process.getOutputStream();
  }

  /** Waits for the end of a program whose input is closed; returns whether it ended in time. */
  boolean awaitEnd() {
    try {
      return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends the program and every process of its group. */
  @Override
  public void close() {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process is ending, and the hook runs.
    }
  }

  private void kill() {
    List<ProcessHandle> descendants = process.descendants().toList();
    signal("TERM");
    descendants.forEach(ProcessHandle::destroy);
    process.destroy();
    boolean ended = awaitEnd();
    if (!ended || descendants.stream().anyMatch(ProcessHandle::isAlive) || isGroupAlive()) {
      signal("KILL");
      descendants.forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private boolean isGroupAlive() {
    return signal("0");
  }

  /** Sends a signal to the group; returns whether there was a process to get it. */
  private boolean signal(String name) {
    if (!isGroup) {
      return false;
    }
    try {
      return new ProcessBuilder("/bin/kill", "-s", name, "--", "-" + process.pid())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
