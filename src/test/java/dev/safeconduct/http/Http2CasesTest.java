package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawHttp2.Came;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Every rule of RFC 9113 for what clients send: {@code http2-cases.txt} holds them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class Http2CasesTest {
  private static final int NEXT_STREAM = 1001;

  private Http2Rig rig;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    rig = new Http2Rig(folder);
  }

  @AfterAll
  void stop() {
    rig.close();
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvFileSource(resources = "http2-cases.txt", delimiter = '|', quoteCharacter = '\u0001')
  void aRuleIsKept(String section, String what, String steps) throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      boolean over = false;
      for (String step : steps.split(";", -1)) {
        String text = step.strip();
        if (text.startsWith("< ")) {
          over |= await(connection, text.substring(2).split(" ", -1));
        } else {
          Http2Script.send(connection, text);
        }
      }
      if (!over) {
        Http2Rig.works(connection, NEXT_STREAM);
      }
    }
  }

  /** Awaits what a step says; whether the connection serves no more then. */
  private static boolean await(RawHttp2 connection, String... words) throws Exception {
    int first = words.length > 1 && !words[0].equals("PING") ? Integer.parseInt(words[1]) : 0;
    int second = words.length > 2 ? Integer.parseInt(words[2]) : 0;
    switch (words[0]) {
      case "ANSWER" -> assertThat(connection.answer(first).status()).isEqualTo(second);
      case "RST" ->
          assertThat(connection.await(RawHttp2.RST_STREAM, first).code()).isEqualTo(second);
      case "DATA" -> assertThat(connection.await(RawHttp2.DATA, first).length()).isEqualTo(second);
      case "PING" -> assertThat(connection.await(RawHttp2.PING, 0).hex()).isEqualTo(words[1]);
      case "SETTINGS" -> acknowledged(connection);
      case "GOAWAY" -> {
        Came end = connection.await(RawHttp2.GOAWAY, 0);
        assertThat(end.code()).isEqualTo(first);
        assertThat(end.lastStream()).isEqualTo(second);
        assertThat(connection.finish().isEnded()).isTrue();
      }
      case "END" -> assertThat(connection.isEnded()).isTrue();
      case "DONE" -> {
        // There is no higher stream.
      }
      default -> throw new AssertionError(words[0]);
    }
    return words[0].equals("GOAWAY") || words[0].equals("END") || words[0].equals("DONE");
  }

  /** Ours come before the acknowledgement of theirs, of which the first is the greeting's. */
  private static void acknowledged(RawHttp2 connection) throws Exception {
    Came settings = connection.await(RawHttp2.SETTINGS, 0);
    while (!settings.isEnd()) {
      settings = connection.await(RawHttp2.SETTINGS, 0);
    }
    assertThat(settings.length()).isZero();
  }

  @Test
  void settingsComeFirst() throws Exception {
    try (var connection = new RawHttp2(rig.server().port(), rig.certificate(), false)) {
      connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      Http2Script.send(connection, "PING@0 z(8)");
      assertThat(connection.await(RawHttp2.GOAWAY, 0).code()).isEqualTo(1);
      assertThat(connection.isEnded()).isTrue();
    }
  }
}
