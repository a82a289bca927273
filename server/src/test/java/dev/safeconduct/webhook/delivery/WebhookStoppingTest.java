package dev.safeconduct.webhook.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of the service loses no delivery. */
final class WebhookStoppingTest {
  private static final String BROKEN = "HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n";

  @TempDir static Path folder;

  /** Told to stop, the service waits for no retry: what it was to deliver becomes a dead letter. */
  @Test
  void stoppingTurnsWaitingDeliveriesIntoDeadLetters() throws Exception {
    var asked = new CountDownLatch(1);
    Path data = folder.resolve("stopping");
    try (ScriptedReceiver receiver =
        ScriptedReceiver.start((connection, _) -> {
          connection.request();
          connection.send(BROKEN);
          asked.countDown();
        })) {
      var answer = new AtomicReference<Reply>();
      CompletableFuture<Void> waiting;
      try (TestService service =
          TestService.start(
              data,
              WebhookRig.open(
                  Map.of(
                      "WEBHOOK_URL", receiver.url(),
                      "WEBHOOK_RETRY_DELAY_MS", "20000",
                      "WEBHOOK_TOTAL_TIMEOUT_MS", "300000")),
              WebhookDependencies.ofMachine(new SecureRandom()))) {
        String agent = Questions.hosted(service, 1);
        waiting =
            CompletableFuture.runAsync(() ->
                answer.set(
                    service
                        .owner()
                        .put("/api/passports/" + agent + "/status", "{\"status\": \"revoked\"}")));
        asked.await();
        service.stop();
        waiting.get();
      }
      assertThat(answer.get().status()).isEqualTo(200);
      assertThat(answer.get().text())
          .contains("\"sent\":false,\"attempts\":1,\"error\":\"The receiver answered 500.\"");
      assertThat(Files.readString(data.resolve("deadletter.jsonl"))).contains("answered 500");
    }
  }
}
