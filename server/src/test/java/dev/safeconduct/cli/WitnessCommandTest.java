package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WitnessServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log's checkpoint reaches its witnesses, and their cosignatures reach the log. */
final class WitnessCommandTest {
  @TempDir private Path folder;

  private CommandRun run(TestService service, String witness) throws Exception {
    Path token = Files.writeString(folder.resolve("token"), TestService.ADMIN_TOKEN);
    return CommandRun.safeconduct(
        "audit",
        "witness",
        "--url",
        service.base().toString(),
        "--token-file",
        token.toString(),
        "--witness",
        witness);
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
