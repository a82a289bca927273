package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.testkit.TlsFiles;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.util.List;
import javax.net.ssl.SSLException;
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
  void tlsIsServedFromPemFilesToThoseWhoSpeakNoHttp2Too(@TempDir Path folder) throws Exception {
    Certificate certificate = TlsFiles.shown(folder, "one");
    try (var server = new TestServer(TlsFiles.settings(folder), VERIFY);
        HttpClient client =
            HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(TlsFiles.trusting(certificate))
                .build()) {
      URI uri = URI.create("https://localhost:" + server.server().port() + "/verify");
      BodyPublisher body = BodyPublishers.ofString("{\"a\":1}");
      assertThat(send(client, uri, body, "reader").body()).isEqualTo("{\"a\":1}");
      BodyPublisher tooLarge = BodyPublishers.ofByteArray(new byte[13 << 20]);
      assertThat(send(client, uri, tooLarge, "reader").statusCode()).isEqualTo(413);
    }
  }

  @Test
  void aRenewedCertificateIsShownWithoutARestart(@TempDir Path folder) throws Exception {
    Certificate first = TlsFiles.shown(folder, "one");
    try (var server = new TestServer(TlsFiles.settings(folder), VERIFY)) {
      URI uri = URI.create("https://localhost:" + server.server().port() + "/verify");
      assertThat(asks(uri, first)).isTrue();
      server.server().renewCertificate();
      assertThat(asks(uri, first)).isTrue();

      // Half of a renewal is none, and neither is rubbish.
      Files.writeString(folder.resolve("chain.pem"), "no certificate");
      server.server().renewCertificate();
      assertThat(asks(uri, first)).isTrue();

      Certificate second = TlsFiles.shown(folder, "two");
      server.server().renewCertificate();
      assertThat(asks(uri, second)).isTrue();
      assertThat(asks(uri, first)).isFalse();
    }
  }

  /** Whether a client that trusts this certificate alone gets an answer. */
  private static boolean asks(URI uri, Certificate trusted) throws Exception {
    try (HttpClient client =
        HttpClient.newBuilder().sslContext(TlsFiles.trusting(trusted)).build()) {
      return send(client, uri, BodyPublishers.ofString("{}"), "reader").statusCode() == 200;
    } catch (SSLException e) {
      return false;
    }
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
}
