package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.Main;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a started service and its commands print, and what a start loads. */
final class StartedProcessTest {
  /** What a start loads from elsewhere than from the archive of classes, of all that it loads. */
  private static final double MOST_OUTSIDE = 0.05;

  /** What no start uses: each took a part of the time to the first answer. */
  private static final List<String> NOT_NEEDED =
      List.of(
          "com.sun.jmx.",
          "jakarta.mail.Provider",
          "org.bouncycastle.jcajce.provider.asymmetric.",
          "org.commonmark.",
          "org.flywaydb.core.internal.command.DbInfo",
          "org.postgresql.",
          "org.snakeyaml.",
          "picocli.CommandLine$Model",
          "sun.security.ssl.SSLContextImpl");

  @TempDir private Path data;

  @Test
  @Timeout(60)
  void namesBothAddressesAndWritesDeadLettersAsJson() throws Exception {
    ProcessBuilder builder = ServerProcess.safeconduct("serve").redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "PORT", "0",
                "DATA_DIR", data.toString(),
                "BASE_URL", "https://api.example.com",
                "ADMIN_TOKEN", TestService.ADMIN_TOKEN,
                "LOG_FORMAT", "json",
                // Not the tests' own.
                "JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml " + logOfClasses(),
                "WEBHOOK_URL", "http://127.0.0.1:1/hook",
                "WEBHOOK_RETRY_ATTEMPTS", "0"));
    Process process = builder.start();
    try (BufferedReader said = process.inputReader();
        HttpClient client = HttpClient.newHttpClient()) {
      var lines = new ArrayList<String>();
      String line;
      do {
        line = said.readLine();
        assertThat(line).as("the server ended: " + lines).isNotNull();
        lines.add(String.valueOf(line));
      } while (!lines.getLast().startsWith("Safeconduct answers on "));
      assertThat(lines).contains("The public address is https://api.example.com (BASE_URL)");
      loadsWhatItNeeds();
      URI base = URI.create(lines.getLast().substring("Safeconduct answers on ".length()));
      assertThat(base.getHost()).isEqualTo("127.0.0.1");

      Calls admin =
          new Calls(client, base).with("Authorization", "Bearer " + TestService.ADMIN_TOKEN);
      String agent = admin.post("/api/passports", "{\"name\": \"Told\"}").string("agent_id");
      Reply suspended =
          admin.post(
              "/api/admin/status", "{\"agent_id\": \"" + agent + "\", \"status\": \"suspended\"}");
      assertThat(suspended.text()).contains("\"sent\":false,\"attempts\":0");
      JsonObject letter = (JsonObject) Json.parse(String.valueOf(said.readLine()));
      assertThat(letter.names())
          .containsExactly(
              "timestamp",
              "webhook_url",
              "payload",
              "failure_reason",
              "attempts",
              "response_status");
      assertThat(letter.object("payload").flatMap(payload -> payload.string("agent_id")))
          .contains(agent);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** The log is for people: the causes, without the places in a library. */
  @Test
  void aCollectorThatIsAwayIsOneLine() throws Exception {
    ProcessBuilder builder = ServerProcess.safeconduct("serve").redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "PORT",
                "0",
                "DATA_DIR",
                data.toString(),
                "JAVA_TOOL_OPTIONS",
                "-Dlogback.configurationFile=logback.xml",
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:1",
                "OTEL_EXPORTER_OTLP_TIMEOUT",
                "500",
                "OTEL_METRIC_EXPORT_INTERVAL",
                "100"));
    Process process = builder.start();
    try (BufferedReader said = process.inputReader()) {
      var line = "";
      while (!line.contains("Failed to export metrics")) {
        line = said.readLine();
        assertThat(line).as("the server ended").isNotNull();
      }
      assertThat(line).contains("java.net.ConnectException");
      assertThat(said.readLine()).matches("\\d{4}-.* WARN  PeriodicMetricReader: .*");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private String logOfClasses() {
    return "-Xlog:class+load:file=" + data.resolve("classes.log") + "::filecount=0";
  }

  /** Makes sure that the start is not slowed down by what nobody notices. */
  private void loadsWhatItNeeds() throws IOException {
    record Loaded(String name, boolean archived) {}

    List<Loaded> all =
        Files.readAllLines(data.resolve("classes.log")).stream()
            .map(line -> line.substring(line.lastIndexOf(']') + 2).split(" source: ", 2))
            .filter(line -> line.length == 2 && !line[0].contains("/")) // not made at run time
            .map(line -> new Loaded(line[0], line[1].startsWith("shared objects file")))
            .toList();
    assertThat(all).hasSizeGreaterThan(3_000);
    assertThat(all)
        .extracting(Loaded::name)
        .noneMatch(name -> NOT_NEEDED.stream().anyMatch(name::startsWith));
    if (System.getProperty("safeconduct.archive") != null) {
      List<String> outside = all.stream().filter(one -> !one.archived()).map(Loaded::name).toList();
      assertThat(outside)
          .as("too many classes of a start are not in the list; run packaging/class-lists")
          .hasSizeLessThan((int) (MOST_OUTSIDE * all.size()));
    }
  }

  @Test
  void helpIsACommand() {
    for (List<String> arguments : List.of(List.of("help"), List.of("help", "keys"))) {
      String[] given = arguments.toArray(String[]::new);
      var out = new StringWriter();
      int status = Main.commandLine(given).setOut(new PrintWriter(out)).execute(given);
      assertThat(status).isZero();
      assertThat(out.toString()).contains(arguments.size() == 1 ? "verify-receipt" : "revoke");
    }
  }
}
