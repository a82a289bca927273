package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.gateway.config.CommandLine;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.GatewayConfig;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Command lines and configuration files ({@code cases/command-lines.json}). */
class CommandLineTest {
  @TempDir private Path folder = Path.of(".");

  @TestFactory
  Stream<DynamicTest> commandLines() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            CommandLineTest.class.getResourceAsStream("/cases/command-lines.json"))) {
      var cases = new ArrayList<DynamicTest>();
      for (Object each : (List<?>) Objects.requireNonNull(Json.parse(in.readAllBytes()))) {
        Map<String, @Nullable Object> row = Message.objectOrEmpty(each);
        cases.add(DynamicTest.dynamicTest(row.toString(), () -> check(row)));
      }
      return cases.stream();
    }
  }

  private void check(Map<String, @Nullable Object> row) throws IOException, ConfigException {
    Path file = folder.resolve("gateway.yaml");
    if (row.get("file") instanceof String text) {
      Files.writeString(file, text);
    }
    List<String> arguments =
        ((List<?>) Objects.requireNonNull(row.get("arguments")))
            .stream()
                .map(each -> each.equals("$FILE") ? file.toString() : each.toString())
                .toList();
    Map<String, String> environment =
        Map.of("SAFECONDUCT_AGENT_ID", "ap_1", "XDG_STATE_HOME", "/state");
    if (row.get("fault") instanceof String fault) {
      assertThatThrownBy(() -> CommandLine.parse(arguments, environment))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(fault)
          .hasMessageNotContaining("secret");
    } else {
      assertThat(text(CommandLine.parse(arguments, environment))).isEqualTo(row.get("result"));
    }
  }

  private static String text(CommandLine line) {
    return switch (line) {
      case CommandLine.Help _ -> "help";
      case CommandLine.Stdio(GatewayConfig _, ServerConfig server) ->
          "stdio " + server.inQuestions() + " " + server.command();
      case CommandLine.Http _ -> "http";
      case CommandLine.ListPins(Path pins) -> "list " + pins;
      case CommandLine.AcceptPins(Path pins, String server, List<String> tools) ->
          "accept " + pins + " " + server + " " + tools;
    };
  }

  @Test
  void aKeyFileIsForItsOwnerAlone() throws IOException, ConfigException {
    Path file = Files.writeString(folder.resolve("key"), "sck_1\n");
    Map<String, String> environment = Map.of("SAFECONDUCT_KEY_FILE", file.toString());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(CommandLine.apiKey(environment)).isEqualTo("sck_1");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> CommandLine.apiKey(environment)).hasMessageContaining("chmod 600");
    assertThatThrownBy(() -> CommandLine.apiKey(Map.of()))
        .hasMessageContaining("SAFECONDUCT_API_KEY");
  }
}
