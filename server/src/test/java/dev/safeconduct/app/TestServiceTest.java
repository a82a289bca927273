package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service starts, decides, and finds its things again. */
final class TestServiceTest {
  @Test
  void decidesAfterTheFirstStart() {
    try (TestService service = TestService.start()) {
      JsonObject question =
          Calls.json(
              """
              {'passport': {'agent_id': 'ap_first', 'status': 'active',
                 'capabilities': [{'id': 'messaging.send'}],
                 'limits': {'messaging.send':
                    {'msgs_per_min': 5, 'msgs_per_day': 50, 'channels_allowlist': ['team']}}},
               'context': {'channel_id': 'team', 'message': 'Done.', 'message_type': 'text'}}
              """);
      Reply reply = service.owner().post("/api/verify/policy/messaging.message.send.v1", question);
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      assertThat(reply.json().isTrue("allow")).as(reply.toString()).isTrue();
      assertThat(service.nobody().get("/api/audit").status()).isEqualTo(401);
      assertThat(service.admin().get("/api/orgs").text()).contains(service.org());
    }
  }

  @Test
  void keepsItsKeysAcrossStarts(@TempDir Path folder) {
    String key;
    String keySet;
    try (TestService first = TestService.start(folder, Map.of())) {
      key = first.key();
      keySet = first.nobody().get("/jwks.json").text();
    }
    try (TestService second = TestService.start(folder, Map.of())) {
      assertThat(second.nobody().get("/jwks.json").text()).isEqualTo(keySet);
      assertThat(second.withKey(key).get("/api/audit").status()).isEqualTo(200);
    }
  }
}
