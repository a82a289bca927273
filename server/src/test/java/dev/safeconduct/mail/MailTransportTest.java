package dev.safeconduct.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.ServerSetupTest;
import dev.safeconduct.config.Secret;
import dev.safeconduct.mail.MailConfig.Smtp;
import dev.safeconduct.mail.MailConfig.StartTls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.text.Templates;
import jakarta.mail.internet.InternetAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS and passwords on the way out, and the folder that stands in for a mail server. */
final class MailTransportTest {
  @TempDir Path folder;

  private static MimeEmail form() throws jakarta.mail.internet.AddressException {
    return new MimeEmail(
        new Templates(), new InternetAddress("us@example.com"), new MovableClock());
  }

  private static Smtp smtp(int port, boolean tls, StartTls startTls) {
    return new Smtp("127.0.0.1", port, tls, startTls, Optional.empty(), Optional.empty());
  }

  @Test
  void tlsIsSpokenToAServerThatIsKnownAndToNoOther() throws Exception {
    Path keys = folder.resolve("keys.p12");
    SSLSocketFactory trusting = certificate(keys);
    System.setProperty("greenmail.tls.keystore.file", keys.toString());
    System.setProperty("greenmail.tls.keystore.password", "changeit");
    try (var server = new OutboxSenderTest.Server(ServerSetupTest.SMTPS.dynamicPort())) {
      Smtp smtps = smtp(server.mail().getSmtps().getPort(), true, StartTls.OPTIONAL);
      new SmtpTransport(smtps, form(), trusting).carry("one", OutboxSenderTest.letter("Hello"));
      assertThat(server.received()).hasSize(1);
      assertThatThrownBy(() ->
              new SmtpTransport(smtps, form(), null).carry("two", OutboxSenderTest.letter("Hello")))
          .isInstanceOf(MailTransportException.class);
      assertThat(server.received()).hasSize(1);
    } finally {
      System.clearProperty("greenmail.tls.keystore.file");
      System.clearProperty("greenmail.tls.keystore.password");
    }
  }

  @Test
  void aServerWithoutStartTlsGetsNothingThatNeedsIt() throws Exception {
    try (var server = new OutboxSenderTest.Server(ServerSetupTest.SMTP.dynamicPort())) {
      int port = server.mail().getSmtp().getPort();
      assertThatThrownBy(() ->
              new SmtpTransport(smtp(port, false, StartTls.REQUIRED), form(), null)
                  .carry("one", OutboxSenderTest.letter("Hello")))
          .isInstanceOf(MailTransportException.class);
      assertThat(server.received()).isEmpty();
    }
  }

  @Test
  void thePasswordOpensTheServer() throws Exception {
    try (var server = new OutboxSenderTest.Server(ServerSetupTest.SMTP.dynamicPort())) {
      server.mail().getUserManager().setAuthRequired(true);
      server.mail().setUser("us@example.com", "us", "right");
      int port = server.mail().getSmtp().getPort();
      for (String password : List.of("right", "wrong")) {
        var config =
            new Smtp(
                "127.0.0.1",
                port,
                false,
                StartTls.NEVER,
                Optional.of("us"),
                Optional.of(new Secret(password)));
        var carrier = new SmtpTransport(config, form(), null);
        if (password.equals("right")) {
          carrier.carry("one", OutboxSenderTest.letter("Hello"));
        } else {
          assertThatThrownBy(() -> carrier.carry("two", OutboxSenderTest.letter("Hello")))
              .isInstanceOf(MailTransportException.class)
              .hasMessageNotContaining("wrong");
        }
      }
      assertThat(server.received()).hasSize(1);
    }
  }

  @Test
  void anotherFileInTheFolderHidesNoEmail() throws Exception {
    Path outbox = folder.resolve("outbox");
    new FolderTransport(outbox, form()).carry("one", OutboxSenderTest.letter("Hello"));
    Files.writeString(outbox.resolve("other.eml"), "Subject: Other\r\n\r\nText\r\n");
    assertThat(WrittenEmail.newest(outbox, 9)).hasSize(1);
  }

  @Test
  void theFolderIsItsOwnersAlone() throws Exception {
    Path outbox = folder.resolve("outbox");
    new FolderTransport(outbox, form()).carry("one", OutboxSenderTest.letter("Hello"));
    new FolderTransport(outbox, form()).carry("one", OutboxSenderTest.letter("Hello again"));
    try (Stream<Path> files = Files.list(outbox)) {
      assertThat(files).containsExactly(outbox.resolve("one.eml"));
    }
    assertThat(permissions(outbox)).isEqualTo("rwx------");
    assertThat(permissions(outbox.resolve("one.eml"))).isEqualTo("rw-------");
    assertThat(Files.readString(outbox.resolve("one.eml")))
        .contains("To: human@example.com", "Subject: Hello again", "7bit")
        .contains("\r\nhttps://id.example.com/claim/abc\r\n")
        .doesNotContain("base64");
  }

  @Test
  void otherLettersAreQuotedPrintable() throws Exception {
    Path outbox = folder.resolve("outbox");
    var letter = new Email("a@example.com", "s", List.of("Grüße"), "do", "http://x/", "Good bye");
    new FolderTransport(outbox, form()).carry("one", letter);
    assertThat(Files.readString(outbox.resolve("one.eml")))
        .contains("quoted-printable", "Gr=C3=BC=C3=9Fe");
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  /** Makes a certificate for 127.0.0.1 and trusts it alone. */
  private static SSLSocketFactory certificate(Path keys)
      throws IOException, InterruptedException, GeneralSecurityException {
    String[] command = {
      Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
      "-genkeypair",
      "-alias",
      "mail",
      "-keyalg",
      "EC",
      "-groupname",
      "secp256r1",
      "-dname",
      "CN=127.0.0.1",
      "-ext",
      "SAN=ip:127.0.0.1",
      "-storetype",
      "PKCS12",
      "-storepass",
      "changeit",
      "-keystore",
      keys.toString()
    };
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    assertThat(process.waitFor()).isZero();
    var store = KeyStore.getInstance(keys.toFile(), "changeit".toCharArray());
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context.getSocketFactory();
  }
}
