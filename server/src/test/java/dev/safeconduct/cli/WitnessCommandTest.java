package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WitnessServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log's checkpoint reaches its witnesses, and their cosignatures reach the log. */
final class WitnessCommandTest {
  @TempDir private Path folder;

  private CommandRun run(TestService service, String... witnesses) throws Exception {
    return run(service.base().toString(), witnesses);
  }

  private CommandRun run(String url, String... witnesses) throws Exception {
    Path token = Files.writeString(folder.resolve("token"), TestService.ADMIN_TOKEN);
    var arguments = new ArrayList<>(List.of("audit", "witness", "--url", url));
    arguments.addAll(List.of("--token-file", token.toString()));
    for (String witness : witnesses) {
      arguments.addAll(List.of("--witness", witness));
    }
    return CommandRun.safeconduct(arguments.toArray(String[]::new));
  }

  /** A timer reads only the status and the last line. */
  @Test
  void theSummaryCountsAndARefusalIsNotHiddenByAnOutage() throws Exception {
    try (WitnessServer one = new WitnessServer();
        WitnessServer two = new WitnessServer();
        TestService service = TestService.start(Map.of("AUDIT_WITNESSES", one.setting()))) {
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      one.know(note.substring(0, note.indexOf('\n')));
      String away = one.setting().replaceAll(":[0-9]+/log/", ":1/");
      CommandRun some = run(service, one.setting(), two.setting(), away);
      assertThat(some.status()).isEqualTo(1);
      assertThat(some.err().strip()).isEqualTo("2 of 3 witnesses did not cosign.");
      assertThat(some.out())
          .contains("cosigned the checkpoint of ", "it does not know a log of this name")
          .contains("no answer from http://127.0.0.1:1");
      CommandRun none = run(service, away, one.setting().replaceAll(":[0-9]+/log/", ":70000/"));
      assertThat(none.status()).as(none.err()).isEqualTo(2);
      assertThat(none.err().strip()).isEqualTo("2 of 2 witnesses did not cosign.");
    }
  }

  /** Whatever answers, the operator reads a sentence. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"to\":5,\"checkpoint\":\"x\",\"consistency_path\":[\"zz\"]}",
        "{\"to\":5,\"checkpoint\":\"x\",\"consistency_path\":[5]}",
        "{\"to\":5,\"checkpoint\":\"x\",\"consistency_path\":[\"\\ud83d\\ude00\"]}",
        "{}",
        "[]",
        "no JSON"
      })
  void aMalformedAnswerIsAFaultAndNoStackTrace(String answer) throws Exception {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    try (WitnessServer witness = new WitnessServer()) {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      String served = witness.setting().replaceAll(" .*", " " + url);
      try (TestService service = TestService.start(Map.of())) {
        CommandRun fromWitness = run(service, served);
        assertThat(fromWitness.status()).isEqualTo(1);
        assertThat(fromWitness.out() + fromWitness.err()).doesNotContain("\tat ");
      }
      CommandRun fromService = run(url, served);
      assertThat(fromService.status()).isIn(1, 2);
      assertThat(fromService.out() + fromService.err()).doesNotContain("\tat ");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aWitnessCosignsAndGoesOnFromWhatItHasSeen() throws Exception {
    try (WitnessServer witness = new WitnessServer();
        TestService service = TestService.start(Map.of("AUDIT_WITNESSES", witness.setting()))) {
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      CommandRun unknown = run(service, witness.setting());
      assertThat(unknown.status()).isEqualTo(1);
      assertThat(unknown.out()).contains("it does not know a log of this name");

      witness.know(note.substring(0, note.indexOf('\n')));
      assertThat(run(service, witness.setting()).line())
          .isEqualTo(
              "witness.example/served cosigned the checkpoint of " + witness.size() + " records");
      long first = witness.size();
      Questions.hosted(service, 5);
      awaitLonger(service, first);
      assertThat(run(service, witness.setting()).status()).isZero();
      assertThat(witness.size()).isGreaterThan(first);
      assertThat(witness.answers()).containsExactly(404, 200, 409, 200);
      assertThat(service.nobody().get("/api/audit/log/cosigned-checkpoint").text())
          .contains("\n" + witness.size() + "\n")
          .contains("\u2014 witness.example/served ");
    }
  }

  /** The current checkpoint may be a second old. */
  private static void awaitLonger(TestService service, long size) {
    Instant until = Instant.now().plusSeconds(10);
    while (Long.parseLong(
                service.nobody().get("/api/audit/log/checkpoint").text().lines().toList().get(1))
            <= size
        && Instant.now().isBefore(until)) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anotherLogUnderTheSameNameIsTold() throws Exception {
    try (WitnessServer witness = new WitnessServer();
        TestService service = TestService.start(Map.of("AUDIT_WITNESSES", witness.setting()))) {
      String note = service.nobody().get("/api/audit/log/checkpoint").text();
      witness.know(note.substring(0, note.indexOf('\n')));
      witness.remember(3, new byte[32]);
      CommandRun forked = run(service, witness.setting());
      assertThat(forked.status()).isEqualTo(1);
      assertThat(forked.out())
          .contains("does not extend the one of 3 records that it has seen (422");
      witness.remember(5_000, new byte[32]);
      CommandRun shorter = run(service, witness.setting());
      assertThat(shorter.status()).isEqualTo(1);
      assertThat(shorter.out()).contains("it has seen a log of 5000 records under this name");
      String stranger = witness.setting().replaceAll(":[0-9]+/log/", ":1/");
      assertThat(run(service, stranger).status()).isEqualTo(2);
      assertThat(run(service, "nonsense").status()).isEqualTo(2);
      assertThat(run(service, witness.setting().split(" ", -1)[0]).status()).isEqualTo(2);
    }
  }
}
