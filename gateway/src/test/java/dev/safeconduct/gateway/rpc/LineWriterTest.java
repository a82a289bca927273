package dev.safeconduct.gateway.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What waits for a reader that is slow, or does not read. */
final class LineWriterTest {
  private static final int MIB = 1 << 20;

  @Test
  void keepsResponsesForASlowReaderBehindManyNotifications() throws Exception {
    var goOn = new CountDownLatch(1);
    var ended = new CountDownLatch(1);
    var written = new ByteArrayOutputStream();
    var out =
        new FilterOutputStream(written) {
          @Override
          public void write(byte[] bytes, int from, int count) throws IOException {
            LineWriterTest.await(goOn);
            written.write(bytes, from, count);
          }

          @Override
          public void close() {
            ended.countDown();
          }
        };
    try (var writer = new LineWriter(out, "test")) {
      for (int i = 0; i < 4000; i++) {
        writer.write(Message.notification("notifications/message", Map.of("x", "y".repeat(20))));
      }
      writer.write(Message.result(7, Map.of()));
      goOn.countDown();
    }
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(written.toString(StandardCharsets.UTF_8).lines().toList())
        .hasSizeLessThan(4000)
        .last()
        .asString()
        .contains("\"id\":7");
  }

  @Test
  void keepsFewMessagesForAReaderThatDoesNotRead() {
    var goOn = new CountDownLatch(1);
    var out =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            LineWriterTest.await(goOn);
          }
        };
    Message large = Message.result(1, Map.of("x", "y".repeat(6 * MIB)));
    try (var writer = new LineWriter(out, "test")) {
      for (int i = 0; i < 3; i++) {
        assertThat(writer.offer(large)).isTrue();
      }
      assertThat(writer.offer(large)).isFalse();
      writer.write(large);
      goOn.countDown();
    }
    try (var writer = new LineWriter(OutputStream.nullOutputStream(), "test")) {
      assertThat(writer.offer(Message.result(1, Map.of("x", "y".repeat(20 * MIB))))).isTrue();
    }
  }

  @Test
  void makesThoseWaitWhoAnswerFasterThanTheReaderReads() throws Exception {
    var goOn = new CountDownLatch(1);
    var written = new AtomicLong();
    var out =
        new OutputStream() {
          @Override
          public void write(int b) {
            written.incrementAndGet();
          }

          @Override
          public void write(byte[] bytes, int from, int count) throws IOException {
            LineWriterTest.await(goOn);
            written.addAndGet(count);
          }
        };
    try (var writer = new LineWriter(out, "test")) {
      writer.awaitRoom();
      for (int i = 0; i < 30; i++) {
        writer.write(Message.result(i, Map.of("x", "y".repeat(MIB))));
      }
      writer.write(Message.notification("notifications/message", Map.of()));
      goOn.countDown();
      writer.awaitRoom();
      assertThat(written.get()).isGreaterThan(13L * MIB);
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
