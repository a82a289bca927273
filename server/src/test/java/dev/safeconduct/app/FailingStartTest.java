package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A start that cannot serve ends with status 2, says why, and has made nothing. */
@Tag("slow")
final class FailingStartTest {
  @TempDir private Path folder;

  private record Ended(int status, String err) {}

  private ProcessBuilder process(Map<String, String> settings) {
    var builder =
        ServerProcess.safeconduct("serve")
            .redirectOutput(folder.resolve("out").toFile())
            .redirectError(folder.resolve("err").toFile());
    builder.environment().put("DATA_DIR", folder.resolve("data").toString());
    builder.environment().putAll(settings);
    return builder;
  }

  /** Serves in a process of its own until it ends by itself. */
  private Ended serve(Map<String, String> settings) throws IOException, InterruptedException {
    Process process = process(settings).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Ended(process.exitValue(), Files.readString(folder.resolve("err")));
  }

  static Stream<Map<String, String>> settings() {
    return Stream.of(
        Map.of("BIND", "203.0.113.7", "PORT", "0"),
        Map.of("BIND", "no.such.host.invalid"),
        Map.of("PORT", "0", "TLS_CERT", "/nope", "TLS_KEY", "/nope"));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void whatDoesNotFitIsSaidBeforeAnythingIsMade(Map<String, String> settings) throws Exception {
    Ended ended = serve(settings);
    assertThat(ended.status()).as(ended.err()).isEqualTo(2);
    assertThat(ended.err())
        .contains("Safeconduct cannot start: ")
        .contains(
            settings.containsKey("TLS_CERT")
                ? "/nope: there is no such file or folder"
                : "cannot be listened on")
        .doesNotContain("\tat ");
    assertThat(folder.resolve("data")).doesNotExist();
    try (TestService service = TestService.start(folder.resolve("data"), Map.of())) {
      assertThat(service.owner().get("/api/audit").status()).isEqualTo(200);
    }
  }

  /** With any free port, links and what is printed name the one that was taken. */
  @Test
  void anyFreePortIsNamed() throws Exception {
    Pattern answers = Pattern.compile("answers on (http://127\\.0\\.0\\.1:[1-9][0-9]*)$");
    Process process =
        process(Map.of("PORT", "0")).redirectOutput(ProcessBuilder.Redirect.PIPE).start();
    try (var said = process.inputReader()) {
      // Read until it answers; were it never to, its output would end with the process.
      Optional<String> base =
          said.lines()
              .map(answers::matcher)
              .filter(Matcher::find)
              .map(line -> line.group(1))
              .findFirst();
      assertThat(base).as(Files.readString(folder.resolve("err"))).isPresent();
      try (var client = HttpClient.newHttpClient()) {
        var ready = HttpRequest.newBuilder(URI.create(base.orElseThrow() + "/readyz")).build();
        assertThat(client.send(ready, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
      }
      assertThat(Files.readString(folder.resolve("data").resolve("first-run.txt")))
          .contains(base.orElseThrow() + "/password/");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** The database's native library is unpacked into the data folder, where it is found again. */
  @Test
  void aFullFolderForTemporaryFilesDoesNotMatter() throws Exception {
    Map<String, String> settings =
        Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder.resolve("absent"));
    try (var server = new ServerProcess(folder.resolve("data"), settings);
        var client = HttpClient.newHttpClient()) {
      server.awaitAnswering();
      assertThat(server.nobody(client).get("/readyz").status()).isEqualTo(200);
    }
  }

  /** For example a library that is missing or does not fit, or too little memory. */
  @Test
  void anErrorEndsTheProcessWithStatusOne() throws Exception {
    ProcessBuilder broken = process(Map.of("PORT", "0"));
    broken
        .command()
        .set(
            broken.command().indexOf("-cp") + 1,
            System.getProperty("java.class.path")
                .replaceAll("[^:]*/jetty-server-[^:]*", "/absent"));
    Process process = broken.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("err"))).contains("cannot start: ");
  }

  @Test
  void anErrorLeavesNothingOpen() {
    for (int call = 1; call < 200; call *= 3) {
      var left = new AtomicInteger(call);
      InstantSource clock =
          () -> {
            if (left.decrementAndGet() == 0) {
              throw new AssertionError("the start fails");
            }
            return Instant.now();
          };
      try {
        TestService.start(folder, Map.of(), clock).close();
      } catch (AssertionError | ProblemException e) {
        assertThat(left).hasNonPositiveValue();
      }
    }
    TestService.start(folder, Map.of()).close();
  }

  static Stream<Arguments> documented() {
    return Stream.of(
        Arguments.of(Map.of("PORT", "many"), "settings are not valid"),
        Arguments.of(Map.of("BIND", "203.0.113.7", "PORT", "0"), "cannot be listened on"),
        Arguments.of(
            Map.of(
                "PORT",
                "0",
                "SAFECONDUCT_MASTER_KEY",
                "another-master-key-of-this-test",
                "DATABASE_URL",
                "postgresql://nobody:nothing@127.0.0.1:1/nothing"),
            "cannot be reached"),
        Arguments.of(
            Map.of("PORT", "0", "SAFECONDUCT_MASTER_KEY", "another-master-key-of-this-test"),
            "master key"));
  }

  /** The runbook lists what a message contains. */
  @ParameterizedTest
  @MethodSource("documented")
  void theRunbookKnowsTheMessage(Map<String, String> settings, String message) throws Exception {
    TestService.start(folder.resolve("data"), Map.of()).close();
    assertThat(serve(settings).err()).contains(message);
    assertInTheRunbook(message);
  }

  @Test
  void theRunbookKnowsAFolderInUse() throws Exception {
    try (TestService _ = TestService.start(folder.resolve("data"), Map.of())) {
      assertThat(serve(Map.of("PORT", "0")).err()).contains("another Safeconduct process");
    }
    assertInTheRunbook("another Safeconduct process");
  }

  private static void assertInTheRunbook(String message) throws IOException {
    assertThat(Files.readString(Path.of("docs", "runbooks.md")))
        .contains("\n| `" + message + "` | ");
  }

  @Test
  void aPortInUseIsSaid() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Ended ended = serve(Map.of("PORT", Integer.toString(taken.getLocalPort())));
      assertThat(ended.status()).as(ended.err()).isEqualTo(2);
      assertThat(ended.err()).contains("PORT " + taken.getLocalPort()).contains("in use");
      assertThat(folder.resolve("data")).doesNotExist();
    }
  }
}
