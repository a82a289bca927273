package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawConnection.Answer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is not HTTP, or too much of it, gets the same error shape as everything else. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("attack")
class MalformedRequestTest {
  private final TestService service = TestService.start();

  /** The head of a request that {@code {}} is a right body of: it answers 201. */
  private final String post = "POST " + path() + " HTTP/1.1\r\nHost: x\r\n" + TestServer.JSON;

  private final String authorized = post + "X-API-Key: " + service.key() + "\r\n";

  private String path() {
    return "/api/passports/" + Questions.hosted(service, 1) + "/setup-key";
  }

  private RawConnection connect() throws IOException {
    return new RawConnection(service.base().getPort());
  }

  private Answer get(String path, String headers) throws IOException {
    try (RawConnection connection = connect()) {
      return connection.send(TestServer.request("GET " + path, headers, "")).answer();
    }
  }

  @AfterAll
  void stop() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no HTTP at all            | hello~~                                                        | 400
          a TLS hello               | \\u0016\\u0003\\u0001~~                                        | 400
          method is no token        | G<T /healthz HTTP/1.1~Host: x~~                                 | 400
          method with a quote       | G"T /healthz HTTP/1.1~Host: x~~                                 | 400
          method with a comma       | GET, /healthz HTTP/1.1~Host: x~~                                | 400
          method with a NUL         | G\\u0000T /healthz HTTP/1.1~Host: x~~                            | 400
          no method                 | ' /healthz HTTP/1.1~Host: x~~'                                    | 400
          no version                | GET /healthz~Host: x~~                                          | 505
          HTTP/1.0                  | GET /healthz HTTP/1.0~~                                         | 505
          HTTP/2.0 in clear text    | GET /healthz HTTP/2.0~Host: x~~                                 | 505
          HTTP/2.0 with chunks      | GET /healthz HTTP/2.0~Host: x~Transfer-Encoding: chunked~~0~~   | 505
          HTTP/3.0                  | GET /healthz HTTP/3.0~Host: x~~                                 | 505
          HTTP/2 preface            | PRI * HTTP/2.0~~SM~~                                           | 505
          no host                   | GET /healthz HTTP/1.1~~                                         | 400
          two hosts                 | GET /healthz HTTP/1.1~Host: a~Host: b~~                         | 400
          a bare LF in the head     | GET /healthz HTTP/1.1~Host: x^A: b~~                            | 400
          a bare LF behind the line | GET /healthz HTTP/1.1^Host: x~~                                 | 400
          an empty header name      | GET /healthz HTTP/1.1~Host: x~: b~~                             | 400
          a blank before the colon  | GET /healthz HTTP/1.1~Host: x~A : b~~                           | 400
          a folded header           | GET /healthz HTTP/1.1~Host: x~A: b~ c~~                         | 400
          a fragment                | GET /healthz#a HTTP/1.1~Host: x~~                               | 400
          header without colon      | GET /healthz HTTP/1.1~Host: x~nonsense~~                        | 400
          control in a header       | GET /healthz HTTP/1.1~Host: x~A: b\\u0001c~~                    | 400
          length is no number       | POST /healthz HTTP/1.1~Host: x~Content-Length: ten~~            | 400
          length is negative        | POST /healthz HTTP/1.1~Host: x~Content-Length: -1~~             | 400
          two lengths               | POST /healthz HTTP/1.1~Host: x~Content-Length: 1~Content-Length: 2~~a | 400
          length and chunked        | POST /healthz HTTP/1.1~Host: x~Content-Length: 2~Transfer-Encoding: chunked~~0~~ | 400
          gzip chunked              | POST /healthz HTTP/1.1~Host: x~Transfer-Encoding: gzip, chunked~~0~~ | 501
          broken path encoding      | GET /health%gz HTTP/1.1~Host: x~~                                | 400
          raw byte in the path      | GET /health\\u00e9z HTTP/1.1~Host: x~~                          | 400
          """)
  void isAnsweredInTheErrorShape(String about, String request, int status) throws IOException {
    String bytes =
        request
            .replace("~", "\r\n")
            .replace("^", "\n")
            .replace("\\u0016", "\u0016")
            .replace("\\u0003", "\u0003")
            .replace("\\u0000", "\u0000")
            .replace("\\u0001", "\u0001")
            .replace("\\u00e9", "\u00e9");
    try (RawConnection connection = connect()) {
      Answer answer = connection.send(bytes).answer();
      assertThat(answer.status()).as(about).isEqualTo(status);
      assertThat(answer.json().string("error")).as(about).contains("invalid_request");
      assertThat(answer.json().string("request_id")).isEqualTo(answer.header("X-Request-Id"));
      assertThat(answer.header("Cache-Control")).contains("no-store");
      if (answer.header("Connection").isPresent() || status == 505) {
        assertThat(connection.isAtEnd()).isTrue();
      } else {
        connection.send(TestServer.request("GET /healthz", "", ""));
        assertThat(connection.answer().status()).as("the connection goes on").isEqualTo(200);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          no size           | zz~{}~0~~             | 400
          a negative size   | -2~{}~0~~             | 400
          beyond a long     | ffffffffffffffff~     | 400
          a wrong end       | 2~{}~0~X~~            | 400
          no end of data    | 2~{}XX0~~             | 400
          LF behind data    | 2~{}^0~~              | 400
          CR behind data    | 2~{}`0~~              | 400
          LF behind a size  | 2^{}~0~~              | 400
          LF in extensions  | 2;a^b~{}~0~~          | 400
          LF in quotes      | 2;a="^"~{}~0~~        | 400
          NUL in extensions | 2;a\\u0000b~{}~0~~     | 400
          LF behind the last | 2~{}~0^~             | 400
          LF for the end    | 2~{}~0~^              | 400
          LF in a trailer   | 2~{}~0~a: b^~         | 400
          """)
  void brokenChunksAre4xx(String about, String chunks, int status) throws IOException {
    String bytes =
        chunks
            .replace("~", "\r\n")
            .replace("^", "\n")
            .replace("`", "\r")
            .replace("\\u0000", "\u0000");
    try (RawConnection connection = connect()) {
      connection.send(authorized + "Transfer-Encoding: chunked\r\n\r\n" + bytes);
      Answer answer = connection.answer();
      assertThat(answer.status()).as(about).isEqualTo(status);
      assertThat(answer.json().isTrue("ok")).isFalse();
      assertThat(connection.isAtEnd()).isTrue();
    }
  }

  @Test
  void chunkExtensionsAreIgnored() throws IOException {
    try (RawConnection connection = connect()) {
      String chunks = "2;name=value\r\n{}\r\n0;x\r\n\r\n";
      connection.send(authorized + "Transfer-Encoding: chunked\r\n\r\n" + chunks);
      assertThat(connection.answer().status()).isEqualTo(201);
      connection.send(TestServer.request("GET /healthz", "", ""));
      assertThat(connection.answer().status()).isEqualTo(200);
    }
  }

  @Test
  void aChunkSizeLineWithoutEndIs400() throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(authorized + "Transfer-Encoding: chunked\r\n\r\n" + "0".repeat(1 << 20));
      assertThat(connection.answer().status()).isEqualTo(400);
    }
  }

  @Test
  void aTenMegabyteHeaderGetsAClean4xx() throws IOException {
    String value = "x".repeat(10 << 20);
    Answer answer = get("/healthz", "X-Long: " + value + "\r\n");
    assertThat(answer.status()).isEqualTo(431);
    assertThat(answer.json().string("message").orElseThrow()).contains("32 KiB");
  }

  @Test
  void tenThousandHeadersAreRefused() throws IOException {
    assertThat(get("/healthz", "A: b\r\n".repeat(10_000)).status()).isEqualTo(431);
  }

  @Test
  void aTenMegabytePathIs414() throws IOException {
    assertThat(get("/" + "x".repeat(10 << 20), "").status()).isEqualTo(414);
  }

  @Test
  void aBodyThatWaitsForLeaveIsAskedForOnlyWithAGoodCredential() throws IOException {
    String expect = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    try (RawConnection connection = connect()) {
      connection.send(authorized + expect);
      assertThat(connection.answer().status()).isEqualTo(100);
      assertThat(connection.send("{}").answer().status()).isEqualTo(201);
    }
    try (RawConnection connection = connect()) {
      connection.send(post + expect);
      assertThat(connection.answer().status()).isEqualTo(401);
      assertThat(connection.isAtEnd()).isTrue();
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    try (RawConnection connection = connect()) {
      String one = authorized + "Content-Length: 2\r\n\r\n{}";
      connection.send(one + TestServer.request("GET /healthz", "", "") + one);
      assertThat(connection.answer().status()).isEqualTo(201);
      assertThat(connection.answer().status()).isEqualTo(200);
      assertThat(connection.answer().status()).isEqualTo(201);
    }
  }

  @Test
  void connectionCloseIsHonoured() throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(TestServer.request("GET /healthz", "Connection: close\r\n", ""));
      assertThat(connection.answer().header("Connection")).contains("close");
      assertThat(connection.isAtEnd()).isTrue();
    }
  }
}
