package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one PostgreSQL are one service. */
final class TwoNodesTest {
  @Test
  void shareKeysPassportsAndTheLog(@TempDir Path folder) {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    // Folders that do not exist yet: what is shown once must find a place to be shown.
    Path here = folder.resolve("here");
    try (TestService one = TestService.start(here, settings);
        TestService two = TestService.start(folder.resolve("there"), settings)) {
      assertThat(here).isDirectory();
      Calls onOne = one.owner();
      Calls onTwo = two.withKey(one.key());
      String agent = onOne.post("/api/passports", "{\"name\": \"Agent\"}").string("agent_id");
      assertThat(onTwo.get("/api/passports/" + agent).status()).isEqualTo(200);
      String decision =
          onTwo
              .post(
                  "/api/verify/policy/messaging.message.send.v1",
                  "{\"agent_id\": \"" + agent + "\", \"context\": {}}")
              .string("decision_id");
      assertThat(onOne.get("/api/decisions/" + decision).status()).isEqualTo(200);
      assertThat(two.nobody().get("/jwks.json").text())
          .isEqualTo(one.nobody().get("/jwks.json").text());
    }
  }
}
