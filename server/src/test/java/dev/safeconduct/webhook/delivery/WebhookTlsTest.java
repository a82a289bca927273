package dev.safeconduct.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.ReceiverTls;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Receivers over TLS: the certificate must be trusted, and be for the host that the URL names. */
final class WebhookTlsTest {
  private static final String OK = "HTTP/1.1 204 No Content\r\n\r\n";

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static SSLContext context;

  @SuppressWarnings("NullAway.Init")
  private static WebhookRig trusting;

  @SuppressWarnings("NullAway.Init")
  private static WebhookRig strict;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException, InterruptedException {
    context = ReceiverTls.context(folder, "dns:hooks.example.com,ip:127.0.0.1");
    Map<String, String> settings = WebhookRig.open(Map.of());
    trusting = new WebhookRig(folder.resolve("trusting"), settings, context);
    strict = new WebhookRig(folder.resolve("strict"), settings, WebhookRig.trusted());
    for (WebhookRig rig : List.of(trusting, strict)) {
      rig.names.put("hooks.example.com", List.of(InetAddress.getLoopbackAddress()));
      rig.names.put("other.example.com", List.of(InetAddress.getLoopbackAddress()));
    }
  }

  @AfterAll
  static void stop() {
    strict.close();
    trusting.close();
  }

  private static ScriptedReceiver receiver() throws IOException {
    return ReceiverTls.start(
        context,
        (connection, _) -> {
          connection.request();
          connection.send(OK);
        });
  }

  private static String told(WebhookRig rig, String host, ScriptedReceiver receiver) {
    String agent = rig.agent();
    rig.webhook(
        agent,
        "https://" + host + ":" + receiver.port() + "/hook",
        Calls.json("{'retry_attempts': 0}"));
    return Json.text(rig.suspend(agent));
  }

  @Test
  void aTrustedReceiverIsToldUnderTheNameOfItsUrl() throws IOException {
    try (ScriptedReceiver receiver = receiver()) {
      for (String host : List.of("hooks.example.com", "127.0.0.1")) {
        assertThat(told(trusting, host, receiver))
            .isEqualTo("{\"sent\":true,\"attempts\":1,\"error\":null}");
        assertThat(receiver.received().getLast().header("host"))
            .isEqualTo(host + ":" + receiver.port());
      }
      assertThat(receiver.serverNames()).containsExactly("hooks.example.com");
    }
  }

  @Test
  void aCertificateForAnotherHostIsRefused() throws IOException {
    try (ScriptedReceiver receiver = receiver()) {
      assertThat(told(trusting, "other.example.com", receiver))
          .contains("\"error\":\"The receiver's certificate is not valid for its host.\"");
      assertThat(receiver.received()).isEmpty();
    }
  }

  @Test
  void aCertificateNobodyVouchesForIsRefused() throws IOException {
    try (ScriptedReceiver receiver = receiver()) {
      assertThat(told(strict, "hooks.example.com", receiver))
          .contains("\"error\":\"The receiver's certificate is not valid for its host.\"");
      assertThat(receiver.received()).isEmpty();
    }
  }
}
