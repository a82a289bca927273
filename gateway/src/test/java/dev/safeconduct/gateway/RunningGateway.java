package dev.safeconduct.gateway;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.CommandLine;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.front.HttpFront;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.testkit.McpClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A gateway over HTTP in this process. */
final class RunningGateway implements AutoCloseable {
  private final HttpFront front;
  private final List<String> log = new CopyOnWriteArrayList<>();

  /**
   * Starts it.
   *
   * @param service the address of the service
   * @param yaml the configuration without {@code service} and {@code listen}
   */
  RunningGateway(String service, String yaml, Map<String, String> environment)
      throws IOException, ConfigException {
    Path file = Files.createTempFile("gateway", ".yaml");
    Files.writeString(file, "service: " + service + "\nagent_id: ap_anonymous\npins: off\n" + yaml);
    try {
      var command =
          (CommandLine.Http)
              CommandLine.parse(List.of("--http", "--config", file.toString()), environment);
      front =
          HttpGateway.start(
              command.config(),
              environment,
              server ->
                  new PolicyClient(
                      Safeconduct.builder()
                          .baseUrl(service)
                          .apiKey("sck_test")
                          .timeout(Duration.ofSeconds(20))
                          .requireSignature(true)
                          .build(),
                      server,
                      null,
                      command.config().denyAsError(),
                      log::add),
              log::add);
    } finally {
      Files.delete(file);
    }
  }

  /** Starts one that asks for no token, before one server called {@code test}. */
  static RunningGateway before(String service, String url) throws IOException, ConfigException {
    return new RunningGateway(
        service,
        "http: {listen: '127.0.0.1:0', anonymous: true}\nservers: {test: {url: '" + url + "'}}\n",
        Map.of());
  }

  String url(String server) {
    return "http://127.0.0.1:" + front.port() + "/mcp/" + server;
  }

  McpClient client() {
    return new McpClient(url("test"));
  }

  List<String> log() {
    return log;
  }

  @Override
  public void close() {
    front.close();
  }
}
