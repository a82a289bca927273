package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.config.Env;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program that ran to its end or was stopped: its status, -1 when stopped, and its output. */
record HookProcess(int status, String out, String err) {
  static final int STOPPED = -1;
  private static final int MOST_BYTES = 1 << 20;

  /**
   * Runs a program with this input, in this folder and with this person's home.
   *
   * @throws IOException when it cannot be started
   */
  static HookProcess run(List<String> command, byte[] input, Path folder, Env env, Duration most)
      throws IOException {
    var builder = new ProcessBuilder(command).directory(folder.toFile());
    for (String name : List.of("HOME", "XDG_CONFIG_HOME", "PATH")) {
      env.string(name).ifPresent(value -> builder.environment().put(name, value));
    }
    Process process = builder.start();
    try {
      var out = read(process.getInputStream());
      var err = read(process.getErrorStream());
      try (OutputStream in = process.getOutputStream()) {
        in.write(input);
      } catch (IOException _) {
        // It need not read its input to the end.
      }
      boolean ended = process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        stop(process);
      }
      return new HookProcess(ended ? process.exitValue() : STOPPED, out.join(), err.join());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new HookProcess(STOPPED, "", "");
    } finally {
      stop(process);
    }
  }

  private static CompletableFuture<String> read(InputStream from) {
    var text = new CompletableFuture<String>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            text.complete(new String(from.readNBytes(MOST_BYTES), UTF_8));
          } catch (IOException e) {
            text.completeExceptionally(new UncheckedIOException(e));
          }
        });
    return text;
  }

  private static void stop(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
