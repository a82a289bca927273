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
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a started service and its commands print. */
final class StartedProcessTest {
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
                "JAVA_TOOL_OPTIONS", "-Dlogback.configurationFile=logback.xml",
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
