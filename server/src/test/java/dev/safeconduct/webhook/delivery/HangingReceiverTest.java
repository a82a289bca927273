package dev.safeconduct.webhook.delivery;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.WebhookRig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * A receiver that hangs costs parked threads and nothing else: while a hundred status changes wait
 * for it, all others go through.
 */
final class HangingReceiverTest {
  /** More than there are processors, connections to a database, or anything else to run out of. */
  private static final int HANGING = 100;

  private static final int ROUNDS = 300;
  private static final int VERIFICATIONS = 1_000;

  @Test
  void holdsUpNobodyElse() throws Exception {
    var reached = new CountDownLatch(HANGING);
    var release = new CountDownLatch(1);
    try (ScriptedReceiver receiver =
            ScriptedReceiver.start((connection, _) -> {
              connection.request();
              reached.countDown();
              release.await();
              connection.send("HTTP/1.1 204 No Content\r\n\r\n");
            });
        TestService service =
            TestService.start(
                WebhookRig.open(
                    Map.of("WEBHOOK_TIMEOUT_MS", "60000", "WEBHOOK_TOTAL_TIMEOUT_MS", "300000")))) {
      Calls owner = service.owner();
      assertThat(owner.post("/api/webhooks", "{\"url\": \"" + receiver.url() + "\"}").status())
          .isEqualTo(201);
      var waiting = new ArrayList<CompletableFuture<Reply>>();
      for (int i = 0; i < HANGING; i++) {
        String agent = Questions.hosted(service, 1);
        waiting.add(
            CompletableFuture.supplyAsync(
                () -> change(owner, agent, "suspended"), task -> Thread.ofVirtual().start(task)));
      }
      reached.await();

      String org = service.admin().post("/api/orgs", "{\"name\": \"O\"}").string("org_id");
      String agent = Questions.hosted(service, org, Questions.passport(Questions.freshAgent(), 1));
      String asked = Questions.hosted(service, 1);
      for (int i = 0; i < ROUNDS; i++) {
        Reply changed = change(service.admin(), agent, i % 2 == 0 ? "suspended" : "active");
        assertThat(changed.text()).contains("{\"sent\":false,\"attempts\":0,\"error\":null}");
      }
      List<Integer> answers =
          AtOnce.run(
              VERIFICATIONS / 100,
              _ -> {
                int last = 0;
                for (int i = 0; i < 100; i++) {
                  last = owner.post(COMMAND, Questions.command(asked, "ls")).status();
                }
                return last;
              });
      assertThat(answers).containsOnly(200);

      assertThat(waiting)
          .as("those that wait for the receiver")
          .noneMatch(CompletableFuture::isDone);
      release.countDown();
      for (CompletableFuture<Reply> each : waiting) {
        assertThat(each.get().text()).contains("{\"sent\":true,\"attempts\":1,\"error\":null}");
      }
    }
  }

  private static Reply change(Calls calls, String agent, String status) {
    Reply reply =
        calls.put("/api/passports/" + agent + "/status", "{\"status\": \"" + status + "\"}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }
}
