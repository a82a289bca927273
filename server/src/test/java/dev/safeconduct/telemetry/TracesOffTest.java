package dev.safeconduct.telemetry;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Collector;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without a collector nothing is traced, and a bad collector is nobody's trouble. */
@Tag("slow")
final class TracesOffTest {
  private static final String SENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @TempDir Path folder;

  @Test
  void unlessConfiguredTheTraceEndsHere() {
    try (ScriptedReceiver receiver =
            ScriptedReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        var rig = new WebhookRig(folder, WebhookRig.open(Map.of()))) {
      String agent = rig.agent();
      rig.webhook(agent, receiver.url(), Calls.json("{}"));
      Reply changed =
          rig.service
              .owner()
              .with("traceparent", SENT)
              .put("/api/passports/" + agent + "/status", "{\"status\": \"suspended\"}");
      assertThat(changed.status()).isEqualTo(200);
      assertThat(receiver.received().getFirst().headers()).doesNotContainKey("traceparent");
    }
  }

  @Test
  void withoutACollectorNoClassOfTheSdkIsLoaded() throws Exception {
    Path loaded = folder.resolve("loaded.txt");
    try (HttpClient client = HttpClient.newHttpClient();
        var server =
            new ServerProcess(
                folder.resolve("data"),
                Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + loaded))) {
      server.awaitAnswering();
      assertThat(server.admin(client).get("/metrics").text()).contains("safeconduct_build_info");
      assertThat(Files.readString(loaded))
          .contains("dev.safeconduct.telemetry.Otlp ")
          .doesNotContain("io.opentelemetry.sdk.", "io.prometheus.metrics.tracer.otel");
    }
  }

  @Test
  void aShareOfNoneTracesWhatCallersTrace() {
    try (Collector collector = Collector.start();
        TestService service =
            TestService.start(
                Map.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    collector.url(),
                    "OTEL_TRACES_SAMPLER_ARG",
                    "0"))) {
      service.nobody().get("/api/policies");
      service.nobody().with("traceparent", SENT).get("/api");
      collector.awaitOne(span -> span.getName().equals("GET /api"));
      assertThat(collector.spans()).noneMatch(span -> span.getName().endsWith("/policies"));
    }
  }

  @Test
  void aCollectorThatHangsHoldsNobodyUp() {
    try (ScriptedReceiver collector =
        ScriptedReceiver.start((connection, _) -> {
          connection.request();
          connection.hang();
        })) {
      answersAndStops("http://127.0.0.1:" + collector.port());
      // It has been told, and hangs still.
      assertThat(collector.received()).isNotEmpty();
    }
  }

  @Test
  void aCollectorThatIsGoneHoldsNobodyUp() throws IOException {
    int port;
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    answersAndStops("http://127.0.0.1:" + port);
  }

  private static void answersAndStops(String collector) {
    try (TestService service =
        TestService.start(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", collector))) {
      String agent = Questions.hosted(service, 9);
      for (int i = 0; i < 20; i++) {
        Reply reply = service.owner().post(COMMAND, Questions.command(agent, "ls"));
        assertThat(reply.json().isTrue("allow")).as(reply.toString()).isTrue();
      }
      service.stop();
    }
  }
}
