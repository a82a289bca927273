package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawHttp2.Answer;
import dev.safeconduct.http.RawHttp2.Came;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTP/2 by clients that break its rules. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2RulesTest {
  private static final int PROTOCOL_ERROR = 1;
  private static final int FLOW_CONTROL_ERROR = 3;
  private static final int INITIAL_WINDOW_SIZE = 4;

  private Http2Rig rig;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    rig = new Http2Rig(folder);
  }

  @AfterAll
  void stop() {
    rig.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a capital in a name  | :method GET :scheme https :path / :authority a Accept x
          a connection's field | :method GET :scheme https :path / :authority a connection close
          chunks               | :method GET :scheme https :path / :authority a transfer-encoding chunked
          te but trailers      | :method GET :scheme https :path / :authority a te gzip
          no path              | :method GET :scheme https :authority a
          no method            | :scheme https :path / :authority a
          no scheme            | :method GET :path / :authority a
          no host              | :method GET :scheme https :path /
          another host         | :method GET :scheme https :path / :authority a host b
          two paths            | :method GET :scheme https :path / :path / :authority a
          a late pseudo field  | :method GET :scheme https :authority a accept x :path /
          an unknown one       | :method GET :scheme https :path / :authority a :status 200
          somebody's password  | :method GET :scheme https :path / :authority me@a
          no rooted path       | :method GET :scheme https :path things :authority a
          a line break         | :method GET :scheme https :path / :authority a x b~c
          a length of words    | :method GET :scheme https :path / :authority a content-length ten
          two lengths          | :method GET :scheme https :path / :authority a content-length 0 content-length 0
          a tunnel             | :method CONNECT :authority a
          """)
  void aMalformedRequestEndsItsStreamAlone(String about, String fields) throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      String[] pairs = fields.split(" ", -1);
      for (int i = 0; i < pairs.length; i++) {
        pairs[i] = pairs[i].replace("~", "\r\n");
      }
      connection.frame(
          RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1, RawHttp2.block(pairs));
      assertThat(connection.await(RawHttp2.RST_STREAM, 1).code())
          .as(about)
          .isEqualTo(PROTOCOL_ERROR);
      Http2Rig.works(connection, 3);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a body without a request  | 0 | 1 | 4     | 1
          a body of the connection  | 0 | 0 | 4     | 1
          fields of the connection  | 1 | 0 | 4     | 1
          a stream of the server's  | 1 | 2 | 0     | 1
          a reset of nothing        | 3 | 9 | 4     | 1
          a short reset             | 3 | 1 | 3     | 6
          settings of a stream      | 4 | 1 | 0     | 1
          settings cut short        | 4 | 0 | 5     | 6
          a push                    | 5 | 1 | 4     | 1
          a short ping              | 6 | 0 | 7     | 6
          no window                 | 8 | 0 | 4     | 1
          continued from nothing    | 9 | 1 | 4     | 1
          too long a frame          | 0 | 1 | 16385 | 6
          """)
  void aBrokenRuleEndsTheConnection(String about, int type, int stream, int length, int code)
      throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.frame(type, RawHttp2.END_HEADERS, stream, new byte[length]);
      assertThat(connection.await(RawHttp2.GOAWAY, 0).code()).as(about).isEqualTo(code);
      assertThat(connection.isEnded()).isTrue();
    }
  }

  @Test
  void whatIsNoHttp2IsEnded() throws Exception {
    try (var connection = new RawHttp2(rig.server().port(), rig.certificate(), false)) {
      connection.send(
          "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(connection.await(RawHttp2.GOAWAY, 0).code()).isEqualTo(PROTOCOL_ERROR);
      assertThat(connection.isEnded()).isTrue();
    }
  }

  @Test
  void cookiesThatWereTakenApartAreOneAgain() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      Answer answer = connection.get(1, "/cookies", "cookie", "a=1", "cookie", "b=2").answer(1);
      assertThat(answer.text()).isEqualTo("a=1; b=2");
    }
  }

  @Test
  void tooManyFieldsAreRefusedWithAnAnswer() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      byte[] block =
          RawHttp2.block(
              ":method",
              "GET",
              ":scheme",
              "https",
              ":path",
              "/",
              ":authority",
              "a",
              "x-a",
              "y".repeat(12_000));
      byte[] more = RawHttp2.block("x-b", "y".repeat(12_000), "x-request-id", "mine");
      connection
          .frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, block)
          .frame(RawHttp2.CONTINUATION, 0, 1, more)
          .frame(RawHttp2.CONTINUATION, RawHttp2.END_HEADERS, 1, more);
      Answer answer = connection.answer(1);
      assertThat(answer.status()).isEqualTo(431);
      assertThat(answer.text()).contains("\"error\":\"invalid_request\"");
      Http2Rig.works(connection, 3);
    }
  }

  @Test
  void aBodyOfAnotherLengthThanDeclaredEndsItsStream() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, false, "POST", "/verify", "content-length", "5").data(1, "{}", true);
      assertThat(connection.await(RawHttp2.RST_STREAM, 1).code()).isEqualTo(PROTOCOL_ERROR);
      connection.request(3, false, "POST", "/verify", "content-length", "1").data(3, "{}", false);
      assertThat(connection.await(RawHttp2.RST_STREAM, 3).code()).isEqualTo(PROTOCOL_ERROR);
      connection.request(5, true, "POST", "/verify", "content-length", "1");
      assertThat(connection.await(RawHttp2.RST_STREAM, 5).code()).isEqualTo(PROTOCOL_ERROR);
      Http2Rig.works(connection, 7);
    }
  }

  @Test
  void anAnswerWaitsForTheClientsWindow() throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      connection.settings(INITIAL_WINDOW_SIZE, 10, 0x99, 7).get(1, "/much");
      Came head = connection.await(RawHttp2.HEADERS, 1);
      assertThat(head.isEnd()).isFalse();
      assertThat(connection.await(RawHttp2.DATA, 1).length()).isEqualTo(10);
      Http2Rig.works(connection, 3);
      connection.number(RawHttp2.WINDOW_UPDATE, 1, 5);
      assertThat(connection.await(RawHttp2.DATA, 1).length()).isEqualTo(5);
      connection.settings(INITIAL_WINDOW_SIZE, 17);
      assertThat(connection.await(RawHttp2.DATA, 1).length()).isEqualTo(7);
      connection.number(RawHttp2.WINDOW_UPDATE, 1, 0);
      assertThat(connection.await(RawHttp2.RST_STREAM, 1).code()).isEqualTo(PROTOCOL_ERROR);
      connection.get(5, "/much").await(RawHttp2.HEADERS, 5);
      connection
          .number(RawHttp2.WINDOW_UPDATE, 5, Integer.MAX_VALUE)
          .number(RawHttp2.WINDOW_UPDATE, 5, Integer.MAX_VALUE);
      assertThat(connection.await(RawHttp2.RST_STREAM, 5).code()).isEqualTo(FLOW_CONTROL_ERROR);
      connection // what stream 5 took of it meanwhile leaves room for one
          .number(RawHttp2.WINDOW_UPDATE, 0, Integer.MAX_VALUE)
          .number(RawHttp2.WINDOW_UPDATE, 0, Integer.MAX_VALUE);
      assertThat(connection.await(RawHttp2.GOAWAY, 0).code()).isEqualTo(FLOW_CONTROL_ERROR);
    }
  }
}
