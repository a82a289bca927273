package dev.safeconduct.mail;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.icegreen.greenmail.util.ServerSetupTest;
import dev.safeconduct.config.Env;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.text.Templates;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Letters leave by a real SMTP server, each once, and none is lost while it is down. */
final class OutboxSenderTest {
  private static final Templates TEMPLATES = new Templates();
  private static final String LINK = "https://id.example.com/claim/abc";

  private final MovableClock clock = new MovableClock();

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Storage store;

  @BeforeEach
  void open() {
    store = Storage.open(StoreConfig.sqlite(folder));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aLetterHasTextAndHtmlAndOneRecipient() throws MessagingException, IOException {
    try (var server = new Server(ServerSetupTest.SMTP.dynamicPort())) {
      add("one");
      assertThat(postman(server.url("smtp", "")).deliverDue()).isEqualTo(1);
      MimeMessage message = server.received().getFirst();
      assertThat(message.getSubject()).isEqualTo("Grüße <b>of</b> an agent");
      assertThat(message.getAllRecipients()).hasSize(1);
      assertThat(message.getMessageID()).isEqualTo("<one@example.com>");
      assertThat(message.getHeader("Auto-Submitted")).containsExactly("auto-generated");
      var parts = (MimeMultipart) message.getContent();
      assertThat(parts.getContentType()).startsWith("multipart/alternative");
      assertThat(parts.getBodyPart(0).getContentType()).startsWith("text/plain");
      assertThat((String) parts.getBodyPart(0).getContent()).contains("<i>bold</i>", LINK);
      assertThat(parts.getBodyPart(1).getContentType()).startsWith("text/html");
      assertThat((String) parts.getBodyPart(1).getContent())
          .contains("&lt;i&gt;bold&lt;/i&gt;", "href=\"" + LINK + "\"")
          .doesNotContain("<i>");
      assertThat(postman(server.url("smtp", "")).deliverDue()).isZero();
    }
  }

  /** A line break in a subject would begin a header of somebody else's making. */
  @Test
  void aSubjectIsOneHeader() throws MessagingException {
    try (var server = new Server(ServerSetupTest.SMTP.dynamicPort())) {
      add("x");
      new OutboxSender(
              new Outbox(store),
              Map.of("test", _ -> Optional.of(letter("a\r\nBcc: victim@example.com\r\n\r\nbody"))),
              carrier(server.url("smtp", "")),
              clock)
          .deliverDue();
      for (MimeMessage message : server.received()) {
        assertThat(message.getHeader("Bcc")).isNull();
        assertThat(message.getAllRecipients()).hasSize(1);
      }
    }
  }

  @Test
  void aLetterWaitsWhileTheServerIsDown() {
    var server = new Server(ServerSetupTest.SMTP.dynamicPort());
    String url = server.url("smtp", "");
    server.close();
    add("one");
    OutboxSender postman = postman(url);
    assertThat(postman.deliverDue()).isEqualTo(1);
    assertThat(postman.deliverDue()).as("not before its time").isZero();
    clock.advance(Duration.ofMinutes(2));
    assertThat(postman.deliverDue()).isEqualTo(1);
    clock.advance(Duration.ofMinutes(2));
    assertThat(postman.deliverDue()).as("waits longer each time").isZero();
    int port = Integer.parseInt(url.replaceAll(".*:(\\d+).*", "$1"));
    try (var again = new Server(new ServerSetup(port, "127.0.0.1", "smtp"))) {
      clock.advance(Duration.ofMinutes(2));
      assertThat(postman.deliverDue()).isEqualTo(1);
      assertThat(again.received()).hasSize(1);
    }
    clock.advance(Duration.ofDays(1));
    assertThat(postman.deliverDue()).isZero();
  }

  @Test
  void twoNodesSendEachLetterOnce() {
    try (var server = new Server(ServerSetupTest.SMTP.dynamicPort())) {
      for (int i = 0; i < 20; i++) {
        add("letter" + i);
      }
      OutboxSender one = postman(server.url("smtp", ""));
      OutboxSender two = postman(server.url("smtp", ""));
      AtOnce.run(2, i -> (i == 0 ? one : two).deliverDue());
      assertThat(server.received()).hasSize(20);
    }
  }

  /** Nobody waits for a mail server: the postman's own thread sends what it is nudged about. */
  @Test
  void aNudgeIsEnough() {
    try (var server = new Server(ServerSetupTest.SMTP.dynamicPort());
        OutboxSender postman = postman(server.url("smtp", ""))) {
      postman.start();
      add("one");
      postman.trigger();
      assertThat(server.mail.waitForIncomingEmail(20_000, 1)).isTrue();
    }
  }

  @Test
  void aLetterWhoseOccasionHasPassedIsDropped() {
    try (var server = new Server(ServerSetupTest.SMTP.dynamicPort())) {
      add("one");
      var postman =
          new OutboxSender(
              new Outbox(store),
              Map.of("test", _ -> Optional.empty()),
              carrier(server.url("smtp", "")),
              clock);
      assertThat(postman.deliverDue()).isEqualTo(1);
      assertThat(server.received()).isEmpty();
      clock.advance(Duration.ofDays(1));
      assertThat(postman.deliverDue()).isZero();
    }
  }

  /** Otherwise an operator would look for a fault in a mail server that works. */
  @Test
  void anEmailForLaterIsListedWhenDue() {
    var outbox = new Outbox(store);
    Instant later = clock.instant().plus(Duration.ofMinutes(10));
    outbox.add(new OutboxEntry("planned", "test", "subject", clock.instant(), 0, later));
    add("due");
    assertThat(ids(outbox.kept(clock.instant(), 10))).containsExactly("due");
    assertThat(outbox.waiting(clock.instant())).isEqualTo(1);
    assertThat(ids(outbox.kept(later, 10))).containsExactlyInAnyOrder("due", "planned");
    assertThat(outbox.waiting(later)).isEqualTo(2);
    assertThat(outbox.take(outbox.due(later, 10).getFirst(), later.plusSeconds(60))).isTrue();
    assertThat(outbox.take(outbox.due(later, 10).getFirst(), later.plusSeconds(60))).isTrue();
    assertThat(ids(outbox.kept(later, 10))).as("tried").hasSize(2);
  }

  private static List<String> ids(List<Outbox.Undelivered> emails) {
    return emails.stream().map(email -> email.entry().id()).toList();
  }

  @Test
  void aRecipientTheServerRefusesIsGivenUp() throws IOException {
    try (var server = new RefusingServer("550 5.1.1 no such mailbox")) {
      add("one");
      OutboxSender postman = postman("smtp://127.0.0.1:" + server.port());
      assertThat(postman.deliverDue()).isEqualTo(1);
      clock.advance(Duration.ofDays(30));
      assertThat(postman.deliverDue()).isZero();
    }
    try (var server = new RefusingServer("451 4.3.0 try later")) {
      add("two");
      OutboxSender postman = postman("smtp://127.0.0.1:" + server.port());
      assertThat(postman.deliverDue()).isEqualTo(1);
      clock.advance(Duration.ofDays(1));
      assertThat(postman.deliverDue()).isEqualTo(1);
    }
  }

  private void add(String id) {
    new Outbox(store).add(OutboxEntry.of(id, "test", "subject", clock.instant()));
  }

  private OutboxSender postman(String url) {
    return new OutboxSender(
        new Outbox(store),
        Map.of("test", _ -> Optional.of(letter("Grüße <b>of</b> an agent"))),
        carrier(url),
        clock);
  }

  private MailTransport carrier(String url) {
    var env = new Env(Map.of("SMTP_URL", url, "MAIL_FROM", "Us <us@example.com>"));
    MailConfig config = MailConfig.from(env);
    env.check();
    return MailTransport.of(config, folder.resolve("outbox"), TEMPLATES, clock);
  }

  static Email letter(String subject) {
    return new Email(
        "human@example.com",
        subject,
        List.of("An agent <i>bold</i> asks."),
        "Look at it",
        LINK,
        "Not yours? Do nothing.");
  }

  /** GreenMail on a free port. */
  record Server(GreenMail mail) implements AutoCloseable {
    Server(ServerSetup setup) {
      this(new GreenMail(setup));
      mail.start();
    }

    String url(String scheme, String user) {
      int port = scheme.equals("smtps") ? mail.getSmtps().getPort() : mail.getSmtp().getPort();
      return scheme + "://" + user + "127.0.0.1:" + port;
    }

    List<MimeMessage> received() {
      return List.of(mail.getReceivedMessages());
    }

    @Override
    public void close() {
      mail.stop();
    }
  }
}
