package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import dev.safeconduct.http.RawHttp2.Came;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP/2 on the bad day and by attackers: clients that stop, go away, or want too much. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2BoundsTest {
  private static final int REFUSED_STREAM = 7;
  private static final int CANCEL = 8;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int UNTOLD = -1;
  private static final byte[] NOTHING = {};

  private Http2Rig rig;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    rig = new Http2Rig(folder);
  }

  @AfterAll
  void stop() {
    rig.close();
  }

  @Test
  void fieldsThatUnpackToMuchAreNotUnpacked() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      var bomb = new ByteArrayOutputStream();
      bomb.writeBytes(
          RawHttp2.block(":method", "GET", ":scheme", "https", ":path", "/", ":authority", "a"));
      bomb.write(0x40); // A literal the table takes, then many times by its index.
      RawHttp2.text(bomb, "x-bomb");
      RawHttp2.text(bomb, "y".repeat(4_000));
      for (int i = 0; i < 12_000; i++) {
        bomb.write(0x80 | 62);
      }
      connection.frame(
          RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1, bomb.toByteArray());
      assertThat(connection.isEnded()).isTrue();
    }
  }

  /** What a client sends in masses, and how it is told that it was too much. */
  enum Flood {
    CONTINUATION,
    EMPTY_CONTINUATION,
    RAPID_RESET,
    PING,
    SETTINGS,
    PRIORITY,
    EMPTY_DATA
  }

  @ParameterizedTest
  @EnumSource
  void aFloodEndsTheConnectionWithinASecondOfComputing(Flood flood) throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      Http2Rig.works(connection, 1);
      long before = computed();
      var client = Thread.ofVirtual().start(() -> send(connection, flood));
      assertThat(lastCode(connection)).isIn(ENHANCE_YOUR_CALM, UNTOLD);
      assertThat(computed() - before).isLessThan(1_000_000_000L);
      client.join();
    }
  }

  /** Why the server ends the connection, where it can tell somebody who goes on sending. */
  private static int lastCode(RawHttp2 connection) {
    int code = UNTOLD;
    try {
      while (true) {
        Came frame = connection.next();
        code = frame.is(RawHttp2.GOAWAY) ? frame.code() : code;
      }
    } catch (IOException _) {
      return code;
    }
  }

  private static void send(RawHttp2 connection, Flood flood) {
    byte[] part = RawHttp2.block("x-a", "b");
    try {
      if (flood == Flood.CONTINUATION || flood == Flood.EMPTY_CONTINUATION) {
        connection.frame(RawHttp2.HEADERS, 0, 3, RawHttp2.block(":method", "GET"));
      } else if (flood == Flood.EMPTY_DATA) {
        connection.request(3, false, "POST", "/verify");
      }
      for (int i = 0; i < 20_000; i++) {
        switch (flood) {
          case CONTINUATION -> connection.frame(RawHttp2.CONTINUATION, 0, 3, part);
          case EMPTY_CONTINUATION -> connection.frame(RawHttp2.CONTINUATION, 0, 3, NOTHING);
          case RAPID_RESET ->
              connection
                  .request(3 + 2 * i, false, "POST", "/verify")
                  .number(RawHttp2.RST_STREAM, 3 + 2 * i, CANCEL);
          case PING -> connection.frame(RawHttp2.PING, 0, 0, new byte[8]);
          case SETTINGS -> connection.frame(RawHttp2.SETTINGS, 0, 0, NOTHING);
          case PRIORITY -> connection.frame(RawHttp2.PRIORITY, 0, 3, new byte[5]);
          case EMPTY_DATA -> connection.frame(RawHttp2.DATA, 0, 3, NOTHING);
        }
      }
    } catch (IOException _) {
      // The server has had enough.
    }
  }

  /** What client and server have computed so far, in nanoseconds. */
  private static long computed() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Test
  void moreRequestsThanAllowedAtOnceAreRefused() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      for (int i = 0; i < 129; i++) {
        connection.request(1 + 2 * i, false, "POST", "/verify");
      }
      assertThat(connection.await(RawHttp2.RST_STREAM, 257).code()).isEqualTo(REFUSED_STREAM);
      connection.data(1, "{\"a\":1}", true);
      assertThat(connection.answer(1).status()).isEqualTo(200);
      Http2Rig.works(connection, 259);
    }
  }

  @Test
  void aBodyThatStopsIsEndedAndItsConnectionGoesOn() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/verify", "expect", "100-continue");
      assertThat(connection.status(connection.await(RawHttp2.HEADERS, 1))).isEqualTo("100");
      connection.data(1, "{", false);
      assertThat(connection.await(RawHttp2.RST_STREAM, 1).code()).isEqualTo(CANCEL);
      Http2Rig.works(connection, 3);
    }
  }

  /** The second for which the server discards a body is shorter than what clients may be silent. */
  @Test
  void whatIsLeftOfARefusedBodyIsThrownAwayForAWhileOnly(@TempDir Path other) throws Exception {
    try (var patient = new Http2Rig(other, Duration.ofSeconds(10));
        RawHttp2 connection = patient.connect()) {
      connection.request(1, false, "POST", "/verify", "x-api-key", "?");
      assertThat(connection.answer(1).status()).isEqualTo(401);
      connection.data(1, "{", false).await(RawHttp2.RST_STREAM, 1);
      connection.data(1, "}", true);
      Http2Rig.works(connection, 3);
    }
  }

  @Test
  void aRefusedBodyWithoutEndIsNotReadWithoutEnd() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/verify", "x-api-key", "?");
      assertThat(connection.answer(1).status()).isEqualTo(401);
      byte[] frame = new byte[16_384];
      var flood =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int i = 0; i < 4_000; i++) {
                    connection.frame(RawHttp2.DATA, 0, 1, frame);
                  }
                } catch (IOException _) {
                  // The server has had enough.
                }
              });
      connection.await(RawHttp2.RST_STREAM, 1);
      flood.join();
    }
  }

  @Test
  void aFrameThatStopsEndsTheConnection() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      Http2Rig.works(connection, 1);
      connection.send(new byte[] {0, 0, 5});
      assertThat(connection.isEnded()).isTrue();
    }
  }

  /** RFC 9113 section 8.1: a stream that ends early after its whole response has no error. */
  @Test
  void aRefusedBodyThatStopsIsNoError() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/verify", "content-length", "20000000");
      connection.data(1, "{", false);
      assertThat(connection.answer(1).status()).isEqualTo(413);
      assertThat(connection.await(RawHttp2.RST_STREAM, 1).code()).isZero();
      connection.request(
          3, false, "POST", "/verify", "content-length", "20000000", "expect", "100-continue");
      assertThat(connection.answer(3).status()).isEqualTo(413);
      assertThat(connection.await(RawHttp2.RST_STREAM, 3).code()).isZero();
      Http2Rig.works(connection, 5);
    }
  }

  @Test
  void framesThatAreNoRequestDoNotKeepAConnection() throws Exception {
    int most = 200;
    var pings = new AtomicInteger();
    var ended = new CountDownLatch(1);
    try (RawHttp2 connection = rig.connect()) {
      Http2Rig.works(connection, 1);
      Thread pinging =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  while (pings.get() < most && !ended.await(100, TimeUnit.MILLISECONDS)) {
                    connection.frame(RawHttp2.PING, 0, 0, new byte[8]);
                    pings.incrementAndGet();
                  }
                } catch (IOException | InterruptedException _) {
                  // The server has ended the connection.
                }
              });
      assertThat(connection.isEnded()).isTrue();
      ended.countDown();
      pinging.join();
    }
    assertThat(pings.get()).isLessThan(most);
  }

  @Test
  void aClientThatGoesAwayInTheMiddleGivesItsRoomBack() throws Exception {
    byte[] part = new byte[16_384];
    for (boolean takenBack : new boolean[] {true, false}) {
      for (int i = 0; i < 3; i++) {
        RawHttp2 connection = rig.connect();
        String length = Integer.toString(12 << 20);
        connection.request(
            1, false, "POST", "/verify", "content-length", length, "expect", "100-continue");
        connection.await(RawHttp2.HEADERS, 1); // Its room is taken.
        connection.frame(RawHttp2.DATA, 0, 1, part).frame(RawHttp2.DATA, 0, 1, part);
        connection.request(3, false, "POST", "/verify", "content-length", "9000000");
        assertThat(connection.answer(3).status()).as("no room beside the first").isEqualTo(503);
        if (takenBack) {
          connection.number(RawHttp2.RST_STREAM, 1, CANCEL);
          Http2Rig.works(connection, 5);
        }
        connection.close();
        awaitRoom();
      }
    }
  }

  /** Asks until a body of some size finds room. */
  private void awaitRoom() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      String body = "{\"a\":\"" + "x".repeat(100_000) + "\"}";
      int status = 503;
      connection.settings(INITIAL_WINDOW_SIZE, 1 << 20);
      connection.number(RawHttp2.WINDOW_UPDATE, 0, 200_000);
      for (int stream = 1; status == 503 && stream < 20_000; stream += 2) {
        connection.request(stream, false, "POST", "/verify");
        for (int at = 0; at < body.length(); at += 16_000) {
          int end = Math.min(at + 16_000, body.length());
          connection.data(stream, body.substring(at, end), end == body.length());
        }
        status = connection.answer(stream).status();
        connection.number(RawHttp2.WINDOW_UPDATE, 0, 200_000);
      }
      assertThat(status).isEqualTo(200);
    }
  }

  @Test
  void aStoppingServerSaysSoAndAnswersWhatItHasTaken() throws Exception {
    var entered = new CountDownLatch(1);
    var leave = new CountDownLatch(1);
    Route slow =
        Route.get(
            "/slow",
            Permission.OPEN,
            _ -> {
              entered.countDown();
              try {
                assertThat(leave.await(20, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return Response.empty(204);
            });
    try (var stopping = new TestServer(rig.tls(), slow);
        var busy = new RawHttp2(stopping.server().port(), rig.certificate());
        var idle = new RawHttp2(stopping.server().port(), rig.certificate())) {
      assertThat(idle.get(1, "/healthz").answer(1).status()).isEqualTo(200);
      busy.get(1, "/slow");
      entered.await();
      Thread closing = Thread.ofVirtual().start(stopping.server()::close);
      Came bye = idle.await(RawHttp2.GOAWAY, 0);
      assertThat(bye.code()).isZero();
      assertThat(idle.isEnded()).isTrue();
      assertThat(busy.await(RawHttp2.GOAWAY, 0).lastStream()).isPositive();
      leave.countDown();
      Came answer = busy.next();
      while (!answer.is(RawHttp2.HEADERS)) {
        answer = busy.next();
      }
      assertThat(busy.status(answer)).isEqualTo("204");
      assertThat(busy.isEnded()).isTrue();
      assertThat(closing.join(Duration.ofSeconds(5))).isTrue();
    }
  }
}
