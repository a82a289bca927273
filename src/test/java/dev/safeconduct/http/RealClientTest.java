package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An everyday client, as against the raw sockets of the other tests. */
class RealClientTest {
  private static final Route VERIFY =
      Route.post("/verify", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
          .large()
          .verify();

  @Test
  void aRefusedUploadSeesItsAnswerAndNotABrokenConnection() throws Exception {
    byte[] body = new byte[13 << 20];
    try (var server = new TestServer(VERIFY);
        HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + server.server().port() + "/verify");
      for (BodyPublisher publisher :
          List.of(
              BodyPublishers.ofByteArray(body),
              BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))) {
        assertThat(send(client, uri, publisher, "reader").statusCode()).isEqualTo(413);
        assertThat(send(client, uri, publisher, "wrong").statusCode()).isEqualTo(401);
      }
      BodyPublisher fine = BodyPublishers.ofString("{\"a\":1}");
      assertThat(send(client, uri, fine, "reader").body()).isEqualTo("{\"a\":1}");
    }
  }

  @Test
  void tlsIsServedFromPemFiles(@TempDir Path folder) throws Exception {
    Certificate certificate = shown(folder, "one");
    try (var server = new TestServer(settings(folder), VERIFY);
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(certificate)).build()) {
      URI uri = URI.create("https://localhost:" + server.server().port() + "/verify");
      BodyPublisher body = BodyPublishers.ofString("{\"a\":1}");
      assertThat(send(client, uri, body, "reader").body()).isEqualTo("{\"a\":1}");
      BodyPublisher tooLarge = BodyPublishers.ofByteArray(new byte[13 << 20]);
      assertThat(send(client, uri, tooLarge, "reader").statusCode()).isEqualTo(413);
    }
  }

  @Test
  void aRenewedCertificateIsShownWithoutARestart(@TempDir Path folder) throws Exception {
    Certificate first = shown(folder, "one");
    try (var server = new TestServer(settings(folder), VERIFY)) {
      URI uri = URI.create("https://localhost:" + server.server().port() + "/verify");
      assertThat(asks(uri, first)).isTrue();
      server.server().sweep();
      assertThat(asks(uri, first)).isTrue();

      // Half of a renewal is none, and neither is rubbish.
      Files.writeString(folder.resolve("chain.pem"), "no certificate");
      server.server().sweep();
      assertThat(asks(uri, first)).isTrue();

      Certificate second = shown(folder, "two");
      server.server().sweep();
      assertThat(asks(uri, second)).isTrue();
      assertThat(asks(uri, first)).isFalse();
    }
  }

  /** Whether a client that trusts this certificate alone gets an answer. */
  private static boolean asks(URI uri, Certificate trusted) throws Exception {
    try (HttpClient client = HttpClient.newBuilder().sslContext(trusting(trusted)).build()) {
      return send(client, uri, BodyPublishers.ofString("{}"), "reader").statusCode() == 200;
    } catch (SSLException e) {
      return false;
    }
  }

  private static Map<String, String> settings(Path folder) {
    return Map.of(
        "TLS_CERT", folder.resolve("chain.pem").toString(),
        "TLS_KEY", folder.resolve("key.pem").toString());
  }

  /** Makes a certificate and puts it and its key where the server looks for them. */
  private static Certificate shown(Path folder, String name) throws Exception {
    KeyStore keys = selfSigned(folder.resolve(name + ".p12"));
    Certificate certificate = keys.getCertificate("server");
    byte[] key = keys.getKey("server", "changeit".toCharArray()).getEncoded();
    pem(folder.resolve("key.pem"), "PRIVATE KEY", key);
    pem(folder.resolve("chain.pem"), "CERTIFICATE", certificate.getEncoded());
    return certificate;
  }

  private static HttpResponse<String> send(
      HttpClient client, URI uri, BodyPublisher body, String key) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .header("X-API-Key", key)
            .POST(body)
            .build();
    return client.send(request, BodyHandlers.ofString());
  }

  private static KeyStore selfSigned(Path file) throws Exception {
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                List.of(
                    (keytool
                            + " -genkeypair -alias server -keyalg EC -groupname secp256r1"
                            + " -dname CN=localhost -ext san=dns:localhost -validity 3650"
                            + " -storetype PKCS12 -storepass changeit -keystore "
                            + file)
                        .split(" ", -1)))
            .redirectErrorStream(true)
            .start();
    process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).isZero();
    return KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
  }

  private static void pem(Path file, String type, byte[] der) throws Exception {
    byte[] newline = "\n".getBytes(StandardCharsets.US_ASCII);
    String text = Base64.getMimeEncoder(64, newline).encodeToString(der);
    Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }

  private static SSLContext trusting(Certificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("server", certificate);
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }
}
