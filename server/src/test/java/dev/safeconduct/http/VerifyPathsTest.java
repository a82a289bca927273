package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.Problem;
import dev.safeconduct.http.RawConnection.Answer;
import dev.safeconduct.identity.Scope;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients of verify paths may look at {@code allow} alone, whatever they are answered. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VerifyPathsTest {
  private final TestServer server =
      new TestServer(
          Route.post(
                  "/verify/{id}", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
              .verify(),
          Route.get("/verify/{id}", Permission.OPEN, _ -> bad()),
          Route.post("/decide", Permission.OPEN, r -> Response.json(200, r.json())).verify(),
          Route.post("/things", Permission.OPEN, r -> Response.json(200, r.json())));

  private static Response bad() {
    throw Problem.invalid("a", "A fault.").toException();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "POST /verify/x,     401, true",
    "PUT /verify/x,      405, true",
    "PUT //verify/x?a=b, 405, true",
    "GET /decide,        405, true",
    "GET /verify/x,      400, false",
    "GET /things,        405, false",
    "POST /nowhere,      404, false"
  })
  void anErrorDeniesWherePathsVerify(String line, int status, boolean denies) throws IOException {
    Answer answer = server.send(line, TestServer.JSON, "");
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.text().contains("\"allow\":false")).isEqualTo(denies);
  }

  @ParameterizedTest
  @CsvSource({
    "POST /verify/x,     true",
    "POST //verify/x?a=b, true",
    "PUT /decide,        true",
    "POST /things,       false",
    "POST /verify/%zz,   false"
  })
  void soDoesWhatIsRefusedBeforeItIsRouted(String line, boolean denies) throws IOException {
    Answer answer = server.send(line, "X-Long: " + "x".repeat(40_000) + "\r\n", "{}");
    assertThat(answer.status()).isEqualTo(431);
    assertThat(answer.text()).contains("32 KiB");
    assertThat(answer.text().contains("\"allow\":false")).isEqualTo(denies);
  }

  @Test
  void soDoesWhatIsRefusedOverHttp2(@TempDir Path folder) throws Exception {
    try (var rig = new Http2Rig(folder);
        RawHttp2 connection = rig.connect()) {
      assertThat(refused(connection, 1, "/verify")).contains("\"allow\":false");
      assertThat(refused(connection, 3, "/things")).doesNotContain("\"allow\"");
    }
  }

  private static String refused(RawHttp2 connection, int stream, String path) throws Exception {
    byte[] block =
        RawHttp2.block(":method", "POST", ":scheme", "https", ":path", path, ":authority", "a");
    byte[] more = RawHttp2.block("x-b", "y".repeat(12_000));
    connection
        .frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, stream, block)
        .frame(RawHttp2.CONTINUATION, 0, stream, more)
        .frame(RawHttp2.CONTINUATION, 0, stream, more)
        .frame(RawHttp2.CONTINUATION, RawHttp2.END_HEADERS, stream, more);
    var answer = connection.answer(stream);
    assertThat(answer.status()).isEqualTo(431);
    return answer.text();
  }
}
