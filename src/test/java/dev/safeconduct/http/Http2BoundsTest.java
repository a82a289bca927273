package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawHttp2.Came;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2 on the bad day and by attackers: clients that stop, go away, or want too much. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2BoundsTest {
  private static final int REFUSED_STREAM = 7;
  private static final int CANCEL = 8;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int INITIAL_WINDOW_SIZE = 4;
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
  void fieldsThatUnpackToMuchAreRefusedAndNotKept() throws Exception {
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
      assertThat(connection.answer(1).status()).isEqualTo(431);
      Http2Rig.works(connection, 3);
    }
  }

  @Test
  void fieldsWithoutEndAreNotGathered() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.frame(RawHttp2.HEADERS, 0, 1, RawHttp2.block(":method", "GET"));
      for (int i = 0; i < 70; i++) {
        connection.frame(RawHttp2.CONTINUATION, 0, 1, NOTHING);
      }
      assertThat(connection.await(RawHttp2.GOAWAY, 0).code()).isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  @Test
  void requestsTakenBackAtOnceAreBounded() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      var flood =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int i = 1; i < 2_000; i += 2) {
                    connection
                        .request(i, false, "POST", "/verify")
                        .number(RawHttp2.RST_STREAM, i, CANCEL);
                  }
                } catch (java.io.IOException _) {
                  // The server has had enough.
                }
              });
      Came end = connection.await(RawHttp2.GOAWAY, 0);
      assertThat(end.code()).isEqualTo(ENHANCE_YOUR_CALM);
      assertThat(end.lastStream()).isBetween(150, 400);
      flood.join();
    }
  }

  @Test
  void pingsAndEmptyFramesAreBounded() throws Exception {
    for (int type : new int[] {RawHttp2.PING, RawHttp2.SETTINGS, RawHttp2.PRIORITY}) {
      try (RawHttp2 connection = rig.connect()) {
        byte[] payload = new byte[type == RawHttp2.PING ? 8 : type == RawHttp2.SETTINGS ? 0 : 5];
        int stream = type == RawHttp2.PRIORITY ? 1 : 0;
        var flood =
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    for (int i = 0; i < 20_000; i++) {
                      connection.frame(type, 0, stream, payload);
                    }
                  } catch (java.io.IOException _) {
                    // The server has had enough.
                  }
                });
        assertThat(connection.await(RawHttp2.GOAWAY, 0).code()).isEqualTo(ENHANCE_YOUR_CALM);
        flood.join();
      }
    }
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
  void aBodyNobodyWantsIsThrownAwayUpToABound() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/meanwhile");
      connection.answer(1);
      byte[] frame = new byte[16_384];
      var flood =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int i = 0; i < 2_000; i++) {
                    connection.frame(RawHttp2.DATA, 0, 1, frame);
                  }
                } catch (java.io.IOException _) {
                  // The server has had enough.
                }
              });
      assertThat(connection.await(RawHttp2.RST_STREAM, 1).code()).isZero();
      flood.join();
    }
  }

  @Test
  void aBodyThatStopsIsEndedAndItsConnectionGoesOn() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/verify", "expect", "100-continue");
      assertThat(connection.fields(connection.await(RawHttp2.HEADERS, 1)).getFirst().getValue())
          .isEqualTo("100");
      connection.data(1, "{", false);
      assertThat(endBySweeping(connection)).isEqualTo(CANCEL);
      Http2Rig.works(connection, 3);
    }
  }

  @Test
  void whatIsLeftOfARefusedBodyIsThrownAwayForAWhileOnly() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/verify", "x-api-key", "?");
      assertThat(connection.answer(1).status()).isEqualTo(401);
      connection.data(1, "{", false);
      assertThat(endBySweeping(connection)).isZero();
      connection.data(1, "}", true);
      Http2Rig.works(connection, 3);
    }
  }

  @Test
  void aFrameThatStopsEndsTheConnection() throws Exception {
    try (RawHttp2 connection = rig.connect();
        RawHttp2 idle = rig.connect()) {
      Http2Rig.works(connection, 1);
      Http2Rig.works(idle, 1);
      connection.send(new byte[] {0, 0, 5});
      Thread sweeper = Thread.ofVirtual().start(this::sweepOn);
      assertThat(connection.isEnded()).isTrue();
      sweeper.interrupt();
      sweeper.join();
      Http2Rig.works(idle, 3);
    }
  }

  /** What half a minute does to a stream: why the server ends it. */
  private int endBySweeping(RawHttp2 connection) throws Exception {
    for (int i = 0; i < 20; i++) {
      rig.server().sweep();
      connection.frame(RawHttp2.PING, 0, 0, new byte[8]);
      Came frame = connection.next();
      for (; !frame.is(RawHttp2.PING); frame = connection.next()) {
        if (frame.is(RawHttp2.RST_STREAM)) {
          return frame.code();
        }
      }
    }
    return -1;
  }

  private void sweepOn() {
    while (!Thread.currentThread().isInterrupted()) {
      rig.server().sweep();
    }
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
      assertThat(busy.await(RawHttp2.GOAWAY, 0).lastStream()).isEqualTo(1);
      busy.request(3, false, "POST", "/slow").data(3, "{}", true);
      busy.frame(RawHttp2.PING, 0, 0, new byte[8]);
      for (Came frame = busy.next(); !frame.is(RawHttp2.PING); frame = busy.next()) {
        assertThat(frame.stream()).as("what came after the end is passed over").isNotEqualTo(3);
      }
      leave.countDown();
      assertThat(busy.empty(1)).isEqualTo(204);
      assertThat(busy.isEnded()).isTrue();
      assertThat(closing.join(Duration.ofSeconds(5))).isTrue();
    }
  }
}
