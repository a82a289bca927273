package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.http.RawHttp2.Came;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TlsFiles;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console's live list as a browser gets it of a service that speaks TLS itself. */
final class LiveOverHttp2Test {
  private static final int CANCEL = 8;
  private static final byte[] GOING = new byte[8];

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Certificate certificate;

  @SuppressWarnings("NullAway.Init")
  private TestService service;

  @SuppressWarnings("NullAway.Init")
  private String cookie;

  @SuppressWarnings("NullAway.Init")
  private String agent;

  @BeforeEach
  void start() throws Exception {
    certificate = TlsFiles.shown(folder, "one");
    service = TestService.start(TlsFiles.settings(folder));
    service.setPassword(service.ownerLink(), TestService.OPERATOR);
    cookie = Pages.cookies(service.login(TestService.OPERATOR));
    agent =
        service
            .owner()
            .post(
                "/api/passports",
                Calls.json(
                    """
                    {'name': 'Mole', 'capabilities': [{'id': 'system.command.execute'}],
                     'limits': {'system.command.execute': {'allowed_commands': ['git']}}}
                    """))
            .string("agent_id");
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private RawHttp2 connect() throws Exception {
    return new RawHttp2(service.base().getPort(), certificate);
  }

  /** Opens the live list, signed in. */
  private void watch(RawHttp2 connection, int stream) throws Exception {
    connection.frame(
        RawHttp2.HEADERS,
        RawHttp2.END_HEADERS | RawHttp2.END_STREAM,
        stream,
        RawHttp2.block(
            ":method",
            "GET",
            ":scheme",
            "https",
            ":path",
            "/console/live",
            ":authority",
            "localhost",
            "accept",
            "text/event-stream",
            "sec-fetch-site",
            "same-origin",
            "cookie",
            cookie));
    List<RawHttp2.Header> head = connection.fields(connection.await(RawHttp2.HEADERS, stream));
    assertThat(head.getFirst().value()).isEqualTo("200");
    assertThat(head).anyMatch(field -> field.value().startsWith("text/event-stream"));
    assertThat(connection.await(RawHttp2.DATA, stream).text()).isEqualTo("retry: 2000\n\n");
  }

  private void decide() {
    Reply reply =
        service
            .owner()
            .post(
                "/api/verify/policy/system.command.execute.v1",
                Calls.json(
                    "{'context': {'agent_id': '%s', 'command': 'git log'}}".formatted(agent)));
    assertThat(reply.json().isTrue("allow")).as(reply.toString()).isTrue();
  }

  /** The next news of each stream; heartbeats are passed over. */
  private static Map<Integer, String> news(RawHttp2 connection, Integer... streams)
      throws Exception {
    var texts = new HashMap<Integer, String>();
    while (!texts.keySet().containsAll(List.of(streams))) {
      Came frame = connection.next();
      if (frame.is(RawHttp2.RST_STREAM) && !List.of(streams).contains(frame.stream())) {
        continue; // The server's end of a stream that the test has taken back.
      }
      assertThat(frame.is(RawHttp2.DATA) && !frame.isEnd()).as(frame.toString()).isTrue();
      if (frame.text().contains("event: decisions\n")) {
        texts.put(frame.stream(), frame.text());
      }
    }
    return texts;
  }

  @Test
  void decisionsArriveAndAClosedStreamEndsOnTheServer() throws Exception {
    try (RawHttp2 connection = connect()) {
      watch(connection, 1);
      watch(connection, 3);
      decide();
      assertThat(news(connection, 1, 3).values())
          .hasSize(2)
          .allSatisfy(text -> assertThat(text).contains("id: ", "data: ", "Mole"));
      // A client that is going gets what it has asked for, and is let go when nothing of it is
      // left.
      connection.number(RawHttp2.RST_STREAM, 1, CANCEL).frame(RawHttp2.GOAWAY, 0, 0, GOING);
      decide();
      assertThat(news(connection, 3)).containsOnlyKeys(3);
      connection.number(RawHttp2.RST_STREAM, 3, CANCEL);
      decide();
      assertThat(connection.isEnded()).isTrue();
    }
  }

  @Test
  void aClientWithoutASessionSeesNothing() throws Exception {
    try (RawHttp2 connection = connect()) {
      cookie = "a=b";
      connection.get(1, "/console/live", "x-api-key", "?", "cookie", cookie);
      assertThat(connection.answer(1).status()).isBetween(300, 499);
    }
  }

  @Test
  void aServiceThatStopsEndsIt() throws Exception {
    try (RawHttp2 connection = connect()) {
      watch(connection, 1);
      Thread stopping = Thread.ofVirtual().start(service::stop);
      boolean streamEnded = false;
      boolean saidGoodbye = false; // before the stream's end or after it (RFC 9113 section 6.8)
      while (!streamEnded || !saidGoodbye) {
        Came part = connection.next();
        assertThat(part.is(RawHttp2.RST_STREAM)).as(part.toString()).isFalse();
        streamEnded |= part.is(RawHttp2.DATA) && part.isEnd();
        if (part.is(RawHttp2.GOAWAY)) {
          assertThat(part.code()).isZero();
          saidGoodbye = true;
        }
      }
      assertThat(connection.isEnded()).isTrue();
      assertThat(stopping.join(Duration.ofSeconds(20))).isTrue();
    }
  }
}
