package dev.safeconduct.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawHttp2.Answer;
import dev.safeconduct.http.RawHttp2.Came;
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
          a capital in a name  | :method GET :scheme https :path /things :authority a Accept x
          a connection's field | :method GET :scheme https :path /things :authority a connection close
          chunks               | :method GET :scheme https :path /things :authority a transfer-encoding chunked
          te but trailers      | :method GET :scheme https :path /things :authority a te gzip
          no path              | :method GET :scheme https :authority a
          no method            | :scheme https :path /things :authority a
          no scheme            | :method GET :path /things :authority a
          two paths            | :method GET :scheme https :path /things :path /things :authority a
          a late pseudo field  | :method GET :scheme https :authority a accept x :path /things
          an unknown one       | :method GET :scheme https :path /things :authority a :status 200
          somebody's password  | :method GET :scheme https :path /things :authority me@a
          no rooted path       | :method GET :scheme https :path things :authority a
          a line break         | :method GET :scheme https :path /things :authority a x b~c
          a length of words    | :method GET :scheme https :path /things :authority a content-length ten
          two lengths          | :method GET :scheme https :path /things :authority a content-length 1 content-length 2
          a tunnel             | :method CONNECT :authority a
          """)
  void aMalformedRequestIsNotServed(String about, String fields) throws Exception {
    try (RawHttp2 connection = rig.connect()) {
      String[] pairs = fields.split(" ", -1);
      for (int i = 0; i < pairs.length; i++) {
        pairs[i] = pairs[i].replace("~", "\r\n");
      }
      connection.frame(
          RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, 1, RawHttp2.block(pairs));
      assertThat(refusal(connection)).as(about).isTrue();
    }
  }

  /** Whether the request is answered with 4xx, or its stream or connection ended for a fault. */
  private static boolean refusal(RawHttp2 connection) throws Exception {
    for (Came frame = connection.next(); ; frame = connection.next()) {
      if (frame.is(RawHttp2.HEADERS)) {
        return connection.fields(frame).getFirst().value().startsWith("4");
      }
      if (frame.is(RawHttp2.RST_STREAM) || frame.is(RawHttp2.GOAWAY)) {
        return frame.code() != 0;
      }
    }
  }

  @Test
  void whatIsNoHttp2IsEnded() throws Exception {
    try (var connection = new RawHttp2(rig.server().port(), rig.certificate(), false)) {
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
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
  void aBodyOfAnotherLengthThanDeclaredIsNotServed() throws Exception {
    String[] bodies = {"{}", "{}          "};
    for (String body : bodies) {
      try (RawHttp2 connection = rig.connect()) {
        connection.request(1, false, "POST", "/verify", "content-length", "5").data(1, body, true);
        assertThat(refusal(connection)).as(body).isTrue();
        Http2Rig.works(connection, 3);
      }
    }
    try (RawHttp2 connection = rig.connect()) {
      connection.request(1, true, "POST", "/verify", "content-length", "1");
      assertThat(refusal(connection)).isTrue();
    }
  }
}
