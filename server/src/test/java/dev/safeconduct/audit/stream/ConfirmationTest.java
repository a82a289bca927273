package dev.safeconduct.audit.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.audit.stream.StreamRecord.Severity;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.testkit.StreamSink;
import dev.safeconduct.testkit.StreamSink.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ends before the receiver has confirmed is not confirmed. */
@Timeout(60)
final class ConfirmationTest {
  private static final List<StreamRecord> RECORDS =
      List.of(
          new StreamRecord(
              0, "id", RecordKind.DECISION, "org", Instant.EPOCH, Severity.WARNING, "{\"end\":1}"));

  /** It reads everything, is killed before it has stored it, and another one starts at once. */
  @Test
  void aReceiverThatEndsFirstHasConfirmedNothing() throws IOException {
    try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        var receiver =
            new SyslogReceiver(
                StreamSettingsTest.read("syslog+tcp://127.0.0.1:" + server.getLocalPort()),
                new SyslogMessage("host", "1", 8_192))) {
      receiver.send(RECORDS);
      try (Socket killed = server.accept()) {
        var read = new StringBuilder();
        while (read.indexOf("{\"end\":1}") < 0) {
          read.append((char) killed.getInputStream().read());
        }
      }
      assertThatThrownBy(receiver::confirm)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("has closed the connection");
    }
  }

  /** The service stops while Splunk has not indexed what it has accepted. */
  @Test
  @SuppressWarnings("try") // closed early, from another thread, on purpose
  void anEndOfThisServiceConfirmsNothing() throws IOException {
    var asked = new CompletableFuture<Void>();
    try (var sink =
            StreamSink.Http.start(post -> {
              if (!post.path().startsWith("/services/collector/ack")) {
                return new Answer(200, "{\"text\":\"Success\",\"code\":0,\"ackId\":7}");
              }
              asked.complete(null);
              return new Answer(200, "{\"acks\":{\"7\":false}}");
            });
        var receiver =
            receiver("splunk+http://" + sink.address(), new StreamBody.SplunkEvents("host"))) {
      receiver.send(RECORDS);
      Thread.ofPlatform()
          .start(() -> {
            asked.join();
            receiver.close();
          });
      assertThatThrownBy(receiver::confirm)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("ended the connection");
    }
  }

  /** Some receivers answer with all that they were sent. */
  @Test
  void theStatusCountsHoweverLongTheAnswerIs() throws IOException {
    String answer = "quoted " + "x".repeat(300_000);
    try (var sink = StreamSink.Http.start(_ -> new Answer(200, answer));
        var receiver = receiver("http://" + sink.address(), new StreamBody.Lines())) {
      assertThat(receiver.send(RECORDS)).isEmpty();
      sink.script(_ -> new Answer(400, answer));
      assertThatThrownBy(() -> receiver.send(RECORDS))
          .isInstanceOfSatisfying(
              StreamException.class, refused -> assertThat(refused.isAboutTheRecords()).isTrue())
          .hasMessageStartingWith("status 400: quoted xxx");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/ | TOKEN | the-token | bad: Bearer the-token at / | bad: Bearer [redacted] at /",
        "/ | TOKEN | the/token | {\"bad\":\"the\\/token\"} | {\"bad\":\"[redacted]\"}",
        "/ | HEADER | A: b=one; c=two | bad: b=one; c=two | bad: [redacted] [redacted]",
        "/hook/secret | GZIP | false | No POST /hook/secret | No POST [redacted]",
      })
  void anAnswerThatQuotesASecretIsShownWithoutIt(
      String path, String setting, String value, String answer, String shown) throws IOException {
    try (var sink = StreamSink.Http.start(_ -> new Answer(401, answer));
        var receiver =
            new HttpReceiver(
                StreamSettingsTest.read(
                    Map.of(
                        "AUDIT_STREAM",
                        "a",
                        "AUDIT_STREAM_A_URL",
                        "http://" + sink.address() + path,
                        "AUDIT_STREAM_A_" + setting,
                        value)),
                new StreamBody.Lines())) {
      assertThatThrownBy(() -> receiver.send(RECORDS)).hasMessage("status 401: " + shown);
    }
  }

  /** A proxy may have put the collector below a path of its own. */
  @Test
  void acknowledgementsAreAskedForBesideTheEvents() throws IOException {
    try (var sink =
            StreamSink.Http.start(post -> {
              if (post.path().startsWith("/splunk/services/collector/ack?channel=")) {
                return new Answer(200, "{\"acks\":{\"7\":true}}");
              }
              return post.path().equals("/splunk/services/collector/event")
                  ? new Answer(200, "{\"text\":\"Success\",\"code\":0,\"ackId\":7}")
                  : new Answer(404, "");
            });
        var receiver =
            receiver(
                "splunk+http://" + sink.address() + "/splunk/services/collector/event",
                new StreamBody.SplunkEvents("host"))) {
      receiver.send(RECORDS);
      assertThatCode(receiver::confirm).doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @CsvSource({"7, 7", "'Fri, 31 Dec 9999 23:59:59 GMT', 60", "soon, 0"})
  void aReceiverSaysHowLongToWaitAtMostAMinute(String text, int seconds) throws IOException {
    try (var sink =
            StreamSink.Http.start(_ -> new Answer(503, new byte[0], Map.of("Retry-After", text)));
        var receiver = receiver("http://" + sink.address(), new StreamBody.Lines())) {
      assertThatThrownBy(() -> receiver.send(RECORDS))
          .isInstanceOfSatisfying(
              StreamException.class,
              refused -> assertThat(refused.waitAsked()).hasSeconds(seconds));
    }
  }

  private static HttpReceiver receiver(String url, StreamBody body) {
    return new HttpReceiver(StreamSettingsTest.read(url), body);
  }
}
