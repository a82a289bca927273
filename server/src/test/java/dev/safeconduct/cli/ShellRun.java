package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A script of {@code bin} that ran to its end in one shell, with nothing in its environment but
 * {@code PATH} and what the test says.
 */
public record ShellRun(int exit, String out, String err) {
  /** The shells that the scripts are written for. */
  public enum PosixShell {
    DASH("dash"),
    BASH("bash"),
    BUSYBOX("busybox sh");

    private final String words;

    PosixShell(String words) {
      this.words = words;
    }

    /** One of the shells, the same for the same number. */
    public static PosixShell of(int number) {
      return List.of(values()).get(Math.floorMod(number, values().length));
    }

    /** A process that runs this script of {@code bin}. */
    public ProcessBuilder process(Map<String, String> environment, String script, String... args) {
      var command = new ArrayList<>(List.of(words.split(" ", -1)));
      command.add(Path.of("bin").resolve(script).toAbsolutePath().toString());
      command.addAll(List.of(args));
      var process = new ProcessBuilder(command);
      process.environment().keySet().retainAll(List.of("PATH"));
      process.environment().putAll(environment);
      return process;
    }
  }

  /** Starts it, gives it these bytes as standard input, and reads all that it prints. */
  public static ShellRun of(ProcessBuilder builder, byte[] input) {
    return of(builder, input, true);
  }

  /** Starts it with a standard input that does not end behind the text. */
  public static ShellRun endless(ProcessBuilder builder, String input) {
    return of(builder, input.getBytes(UTF_8), false);
  }

  private static ShellRun of(ProcessBuilder builder, byte[] input, boolean end) {
    try {
      Process process = builder.start();
      var err = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
      OutputStream in = process.getOutputStream();
      try {
        in.write(input);
        in.flush();
        if (end) {
          in.close();
        }
      } catch (IOException _) {
        // It may end before it has read all.
      }
      String out = text(process.getInputStream());
      return new ShellRun(process.waitFor(), out, err.join());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  public static ShellRun of(ProcessBuilder builder, String input) {
    return of(builder, input.getBytes(UTF_8));
  }

  private static String text(InputStream in) {
    try (in) {
      return new String(in.readAllBytes(), ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
