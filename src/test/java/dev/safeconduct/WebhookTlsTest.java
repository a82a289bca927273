package dev.safeconduct;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.ScriptedReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Receivers over TLS: the certificate must be trusted, and be for the host that the URL names. */
final class WebhookTlsTest {
  private static final String PASSWORD = "only-for-tests";
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
    context = context(certificate("dns:hooks.example.com,ip:127.0.0.1"));
    Map<String, String> settings = WebhookRig.open(Map.of());
    trusting = new WebhookRig(folder.resolve("trusting"), settings, context.getSocketFactory());
    strict =
        new WebhookRig(
            folder.resolve("strict"), settings, (SSLSocketFactory) SSLSocketFactory.getDefault());
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

  /** A key and a certificate signed by itself, in a PKCS #12 file. */
  private static Path certificate(String names) throws IOException, InterruptedException {
    Path file = folder.resolve("receiver.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "receiver",
                "-keyalg",
                "EC",
                "-dname",
                "CN=receiver",
                "-ext",
                "san=" + names,
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    return file;
  }

  /** Serves with the certificate, and trusts it. */
  private static SSLContext context(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("receiver", store.getCertificate("receiver"));
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext made = SSLContext.getInstance("TLS");
    made.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return made;
  }

  private static ScriptedReceiver receiver() throws IOException {
    SSLServerSocket server =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
    return ScriptedReceiver.start(
        server,
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
    return Json.text(rig.suspend(agent)).replaceAll("wh_[0-9a-f]{32}", "wh");
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
          .contains(
              "\"error\":\"wh: The receiver's certificate is not valid for other.example.com.\"");
      assertThat(receiver.received()).isEmpty();
    }
  }

  @Test
  void aCertificateNobodyVouchesForIsRefused() throws IOException {
    try (ScriptedReceiver receiver = receiver()) {
      assertThat(told(strict, "hooks.example.com", receiver))
          .contains(
              "\"error\":\"wh: The receiver's certificate is not valid for hooks.example.com.\"");
      assertThat(receiver.received()).isEmpty();
    }
  }
}
