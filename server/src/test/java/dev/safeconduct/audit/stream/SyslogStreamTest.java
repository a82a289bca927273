package dev.safeconduct.audit.stream;

import static dev.safeconduct.audit.stream.AuditStreamTest.agent;
import static dev.safeconduct.audit.stream.AuditStreamTest.awaitState;
import static dev.safeconduct.audit.stream.AuditStreamTest.decide;
import static dev.safeconduct.audit.stream.AuditStreamTest.log;
import static dev.safeconduct.audit.stream.AuditStreamTest.number;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.config.Pem;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.StreamSink;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TlsFiles;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every record arrives by syslog over TLS, in order, whatever the receiver loses. */
@Timeout(120)
@Tag("slow")
final class SyslogStreamTest {
  /** RFC 5424 section 6, as far as this service uses it. */
  private static final Pattern MESSAGE =
      Pattern.compile(
          "<(\\d{1,3})>1 (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z) ([!-~]{1,255})"
              + " safeconduct - ([a-z_]{1,32})"
              + " \\[origin software=\"safeconduct\" swVersion=\"[^\"]+\"]"
              + "\\[meta sequenceId=\"(\\d+)\"] ([ -~]*)");

  @TempDir Path folder;

  private ServerSocket tls(boolean wantsCertificate) throws Exception {
    TlsFiles.shown(folder, "receiver");
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(Pem.keyStore(folder.resolve("chain.pem"), folder.resolve("key.pem")), new char[0]);
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(Pem.trustStore(folder.resolve("chain.pem")));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    var server =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
    server.setNeedClientAuth(wantsCertificate);
    return server;
  }

  private Map<String, String> settings(String url) {
    var settings = new HashMap<String, String>();
    settings.put("AUDIT_STREAM", "siem");
    settings.put("AUDIT_STREAM_SIEM_URL", url);
    settings.put("AUDIT_STREAM_SIEM_FROM", "start");
    settings.put("AUDIT_STREAM_SIEM_CA", folder.resolve("chain.pem").toString());
    return settings;
  }

  /** The records of messages; parts are joined. */
  private static List<String> records(List<String> messages) {
    var records = new ArrayList<String>();
    var parts = new LinkedHashMap<Integer, String>();
    for (String message : messages) {
      Matcher fields = MESSAGE.matcher(message);
      assertThat(fields.matches()).as(message).isTrue();
      JsonObject json;
      try {
        json = (JsonObject) Json.parse(fields.group(6));
      } catch (JsonFault e) {
        throw new AssertionError(message, e);
      }
      if (!json.has("parts")) {
        records.add(Json.text(json));
        continue;
      }
      if (number(json, "part") == 1) {
        parts.clear(); // sending began again in the middle of a record
      }
      parts.put((int) number(json, "part"), json.string("text").orElseThrow());
      if (number(json, "part") == number(json, "parts")) {
        assertThat(parts).hasSize((int) number(json, "parts"));
        records.add(String.join("", parts.values()));
        parts.clear();
      }
    }
    return new ArrayList<>(new LinkedHashSet<>(records));
  }

  private static List<String> awaitLog(StreamSink.Syslog sink, TestService service) {
    List<String> log = log(service);
    List<String> all = sink.await(messages -> records(messages).containsAll(log));
    assertThat(records(all)).isEqualTo(log);
    return all;
  }

  @Test
  void messagesAreThoseOfTheStandardAndNoneIsLongerThanReceiversMustAccept() throws Exception {
    try (var sink = StreamSink.Syslog.start(tls(true))) {
      Map<String, String> settings = settings("syslog+tls://localhost:" + sink.port());
      settings.put("AUDIT_STREAM_SIEM_CERT", folder.resolve("chain.pem").toString());
      settings.put("AUDIT_STREAM_SIEM_KEY", folder.resolve("key.pem").toString());
      settings.put("AUDIT_STREAM_SIEM_MESSAGE_BYTES", "2048");
      try (TestService service = TestService.start(folder, settings)) {
        String agent = agent(service);
        decide(service, agent, 4);
        String large = "ls " + "\u00e9\"\\".repeat(600) + "\ud83d\ude00".repeat(200);
        service.admin().post(Questions.COMMAND, Questions.command(agent, large));
        List<String> all = awaitLog(sink, service);
        assertThat(all).allSatisfy(message -> assertThat(message).hasSizeLessThanOrEqualTo(2048));
        assertThat(all)
            .anySatisfy(message -> assertThat(message).contains("\"part\":3,\"parts\":"));
        assertThat(all.getLast())
            .startsWith("<108>1 ")
            .contains(" 127.0.0.1 safeconduct - decision ");
        awaitState(service, state -> number(state, "lag_records") == 0);
      }
    }
  }

  @Test
  void whatAReceiverHadReadAndLostIsSentAgain() throws Exception {
    try (var sink = StreamSink.Syslog.start(tls(false));
        TestService service =
            TestService.start(folder, settings("syslog+tls://localhost:" + sink.port()))) {
      String agent = agent(service);
      decide(service, agent, 2);
      awaitLog(sink, service);
      sink.forgetful(true);
      decide(service, agent, 5);
      // The receiver has confirmed all of them by ending a connection, and has stored none.
      awaitState(service, state -> number(state, "lag_records") == 0);
      sink.forgetful(false);
      sink.kill();
      awaitLog(sink, service);
      awaitState(service, state -> number(state, "lag_records") == 0);
    }
  }

  @Test
  void whatAReceiverHadNotReadIsNotConfirmed() throws Exception {
    try (var sink =
            StreamSink.Syslog.start(new ServerSocket(0, 10, InetAddress.getLoopbackAddress()));
        TestService service =
            TestService.start(folder, plain(settings("syslog+tcp://127.0.0.1:" + sink.port())))) {
      String agent = agent(service);
      awaitLog(sink, service);
      sink.stalled(true);
      int before = log(service).size();
      decide(service, agent, 20);
      awaitSent(service, before + 1); // not all of them, when a confirmation has begun
      assertThat(number(state(service), "lag_records")).isPositive();
      sink.forgetful(true); // of what the stopped process still gets to see
      sink.kill();
      sink.stalled(false);
      sink.forgetful(false);
      awaitLog(sink, service);
    }
  }

  private static JsonObject state(TestService service) {
    return AuditStreamTest.state(service);
  }

  private static Map<String, String> plain(Map<String, String> settings) {
    settings.remove("AUDIT_STREAM_SIEM_CA");
    return settings;
  }

  private static void awaitSent(TestService service, int records) {
    Pattern sent = Pattern.compile("safeconduct_audit_stream_sent_total\\{[^}]*} (\\d+)");
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (true) {
      Matcher found = sent.matcher(service.admin().get("/metrics").text());
      assertThat(found.find()).isTrue();
      if (Integer.parseInt(found.group(1)) >= records) {
        return;
      }
      assertThat(System.nanoTime()).as(found.group()).isLessThan(deadline);
    }
  }

  @Test
  void aReceiverWithAnotherNameOrAuthorityGetsNothing() throws Exception {
    try (var sink = StreamSink.Syslog.start(tls(false))) {
      Map<String, String> otherName = settings("syslog+tls://127.0.0.1:" + sink.port());
      try (TestService service = TestService.start(folder.resolve("one"), otherName)) {
        JsonObject state = awaitState(service, now -> now.string("error").isPresent());
        assertThat(state.string("error").orElseThrow()).contains("subject alternative names");
      }
      Map<String, String> untrusted = plain(settings("syslog+tls://localhost:" + sink.port()));
      try (TestService service = TestService.start(folder.resolve("two"), untrusted)) {
        JsonObject state = awaitState(service, now -> now.string("error").isPresent());
        assertThat(state.string("error").orElseThrow()).contains("certification path");
      }
      assertThat(sink.received()).isEmpty();
    }
  }
}
