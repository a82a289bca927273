package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two server processes on one PostgreSQL: the next question that the other one is asked after a
 * suspension was answered is a deny. How soon it knows by itself is measured by {@code make
 * suspension}.
 */
@Tag("slow")
final class TwoProcessesTest {
  private static final int ROUNDS = 20;

  @Test
  void theOtherDeniesTheNextQuestion(@TempDir Path folder) throws IOException {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    try (ServerProcess one = new ServerProcess(folder.resolve("one"), settings);
        ServerProcess two = new ServerProcess(folder.resolve("two"), settings);
        HttpClient client = HttpClient.newHttpClient()) {
      one.awaitAnswering();
      two.awaitAnswering();
      List<Calls> nodes = List.of(one.admin(client), two.admin(client));
      String agent =
          nodes
              .getFirst()
              .post("/api/passports", Questions.passport(Questions.freshAgent(), 1000))
              .string("agent_id");
      JsonObject question = Questions.command(agent, "ls");
      for (int i = 0; i < ROUNDS; i++) {
        Calls here = nodes.get(i % 2);
        Calls there = nodes.get(1 - i % 2);
        assertThat(Questions.code(there.post(Questions.COMMAND, question)))
            .isEqualTo("oap.allowed");
        change(here, agent, "suspended");
        assertThat(Questions.code(there.post(Questions.COMMAND, question)))
            .isEqualTo("oap.passport_suspended");
        change(here, agent, "active");
      }
    }
  }

  private static void change(Calls calls, String agent, String status) {
    Reply reply =
        calls.put("/api/passports/" + agent + "/status", "{\"status\": \"" + status + "\"}");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
  }
}
