package dev.safeconduct.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WallClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nobody should send: a clear 4xx, and nothing recorded. */
final class BadInputTest {
  private static final String PASSPORTS = "/api/passports";

  @AutoClose private static final TestService service = TestService.start();

  private long before;

  @BeforeEach
  void remember() {
    before = Questions.newestRecord(service);
  }

  @AfterEach
  void nothingIsRecorded() {
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  private static void refused(Reply reply, int status, String code) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(status);
    assertThat(reply.string("code")).isEqualTo(code);
    assertThat(reply.string("error")).isEqualTo(code);
    assertThat(reply.string("message")).isNotEmpty();
    assertThat(reply.json().object("details")).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " ",
        "{",
        "}",
        "nonsense",
        "{\"context\":{}",
        "{'context':{}}",
        "{\"context\":{},}",
        "{\"context\":{}} {}",
        "{\"context\":{}}x",
        "[]",
        "[{\"context\":{}}]",
        "\"text\"",
        "5",
        "true",
        "null",
        "{\"context\":{\"command\":\"a\",\"command\":\"b\"}}",
        "{\"context\":{},\"context\":{}}",
        "{\"name\":\"a\",\"n\\u0061me\":\"b\"}",
        "{\"context\":{\"x\":NaN}}",
        "{\"context\":{\"x\":Infinity}}",
        "{\"context\":{\"x\":-Infinity}}",
        "{\"context\":{\"x\":01}}",
        "{\"context\":{\"x\":+1}}",
        "{\"context\":{\"x\":.5}}",
        "{\"context\":{\"x\":0x10}}",
        "{\"context\":{\"x\":1_0}}",
        "{\"context\":{\"x\":\"\\ud800\"}}",
        "{\"context\":{\"\\udc00\":1}}",
        "{\"context\":{\"x\":\"\\ud800\\ud800\"}}",
        "{\"context\":{\"x\":\"\\u12\"}}",
        "{\"context\":{\"x\":\"\u0001\"}}",
        "{\"context\":{\"x\":\"\\x41\"}}",
        "{\"context\":{}} // said",
        "/* said */ {\"context\":{}}",
        "\ufeff{\"context\":{}}",
        "{context:{}}",
        "{\"context\":undefined}",
        "{\"context\":{\"x\":tru}}"
      })
  void isNotAJsonObject(String body) {
    refused(service.owner().post(COMMAND, body), 400, "invalid_request");
    refused(service.owner().post(PASSPORTS, body), 400, "invalid_request");
  }

  @ParameterizedTest
  @ValueSource(ints = {33, 64, 1000, 100_000})
  void isNestedTooDeeply(int levels) {
    for (String[] piece : new String[][] {{"{\"a\":", "1", "}"}, {"[", "", "]"}}) {
      String inner = piece[0].repeat(levels - 2) + piece[1] + piece[2].repeat(levels - 2);
      String body = "{\"context\":{\"a\":" + inner + "}}";
      refused(service.owner().post(COMMAND, body), 400, "invalid_request");
      refused(service.owner().post(PASSPORTS, body), 400, "invalid_request");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1100, 100_000})
  void hasAnEndlessNumber(int digits) {
    Reply reply = service.owner().post(COMMAND, "{\"context\":{\"x\":" + "9".repeat(digits) + "}}");
    refused(reply, 400, "invalid_request");
  }

  @Test
  void isTooLarge() {
    String padding = "\"" + "x".repeat(2 << 20) + "\"";
    refused(
        service.owner().post(PASSPORTS, "{\"name\":" + padding + "}"), 413, "payload_too_large");
    String more = "\"" + "x".repeat(13 << 20) + "\"";
    refused(
        service.owner().post(COMMAND, "{\"context\":{\"command\":" + more + "}}"),
        413,
        "payload_too_large");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\":5}",
        "{\"name\":\"\"}",
        "{\"name\":[]}",
        "{\"name\":\"a\",\"status\":\"on\"}",
        "{\"name\":\"a\",\"status\":1}",
        "{\"name\":\"a\",\"capabilities\":{}}",
        "{\"name\":\"a\",\"capabilities\":[5]}",
        "{\"name\":\"a\",\"capabilities\":[{}]}",
        "{\"name\":\"a\",\"limits\":[]}",
        "{\"name\":\"a\",\"limits\":\"x\"}",
        "{\"name\":\"a\",\"regions\":\"US\"}",
        "{\"name\":\"a\",\"regions\":[null]}",
        "{\"name\":\"a\",\"framework\":{}}",
        "{\"name\":\"a\",\"slug\":\"A B\"}",
        "{\"name\":\"a\",\"slug\":7}",
        "{\"name\":\"a\",\"metadata\":[]}",
        "{\"name\":\"a\",\"links\":[]}",
        "{\"name\":\"a\",\"mcp\":[]}",
        "{\"name\":\"a\",\"expires_at\":\"soon\"}",
        "{\"name\":\"a\",\"kind\":\"robot\"}",
        "{\"name\":\"a\",\"limits\":{\"system.command.execute\":{\"alowed_commands\":[]}}}"
      })
  void describesNoPassport(String body) {
    Reply reply = service.owner().post(PASSPORTS, body);
    refused(reply, 400, "invalid_request");
    assertThat(reply.string("field")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "json", "*/*", ""})
  void isOfAnotherType(String type) {
    Reply reply = service.owner().with("Content-Type", type).post(COMMAND, "{\"context\":{}}");
    refused(reply, 415, "unsupported_media_type");
  }

  @Test
  void isInNoKnownEncoding() throws IOException {
    byte[] latin1 = "{\"context\":{\"command\":\"é\"}}".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(raw(head(latin1.length), latin1)).startsWith("HTTP/1.1 400");
    byte[] overlong = "{\"context\":{\"command\":\"__\"}}".getBytes(StandardCharsets.UTF_8);
    int at = new String(overlong, StandardCharsets.UTF_8).indexOf('_');
    overlong[at] = (byte) 0xc0;
    overlong[at + 1] = (byte) 0xaf;
    assertThat(raw(head(overlong.length), overlong)).startsWith("HTTP/1.1 400");
  }

  /** A header without end is cut off long before it fills anything. */
  @Tag("timing")
  @Test
  void hasAnEndlessHeader() {
    String answer =
        WallClock.within(
            Duration.ofSeconds(30),
            () -> raw("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ", new byte[10 << 20]));
    assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d.*|");
    assertThat(service.nobody().get("/healthz").status()).isEqualTo(200);
  }

  private static String head(int length) {
    return "POST "
        + COMMAND
        + " HTTP/1.1\r\nHost: x\r\nX-API-Key: "
        + service.key()
        + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
        + length
        + "\r\n\r\n";
  }

  /** The answer to these bytes; empty when the connection was cut. */
  private static String raw(String head, byte[] body) throws IOException {
    try (Socket socket =
        new Socket(java.net.InetAddress.getLoopbackAddress(), service.base().getPort())) {
      socket.setSoTimeout(20_000);
      try (OutputStream out = socket.getOutputStream();
          InputStream in = socket.getInputStream()) {
        try {
          out.write(head.getBytes(StandardCharsets.US_ASCII));
          out.write(body);
          out.flush();
        } catch (SocketException e) {
          return ""; // cut off while sending
        }
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (SocketException e) {
        return "";
      }
    }
  }
}
