package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that has read nothing yet answers what agents and people need while lists wait. */
final class DecisionsBesideListsTest {
  private static final int LISTS = 12;

  private static final String WAITING =
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'webhook_delivery'::regclass";

  private static final String PACK =
      """
      {'policy_id': 'own.reading.v1', 'name': 'Read documents', 'version': '1.0.0',
       'requires_capabilities': ['own.reading'],
       'required_context': {'type': 'object', 'properties': {'resource': {'type': 'object'}}},
       'authzen': {'actions': ['read'], 'subjects': {'user': {'*': {}}},
         'resources': {'document': {'d': {'free': true}}}},
       'evaluation_rules': [{'name': 'free', 'deny_code': 'oap.action_forbidden',
         'condition': 'context.resource.properties.free === true'}]}
      """;

  @Test
  @Timeout(60)
  void decisionsAndHaltsDoNotWaitForLists() throws SQLException {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    try (TestService one = TestService.start(settings);
        TestService two = TestService.start(settings);
        var lists = Executors.newVirtualThreadPerTaskExecutor()) {
      String agent =
          one.owner()
              .post(
                  "/api/passports",
                  Calls.json(
                      """
                      {'name': 'Sender', 'capabilities': [{'id': 'messaging.send'}],
                       'limits': {'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99}}}
                      """))
              .string("agent_id");
      String careful =
          one.owner()
              .post(
                  "/api/passports",
                  Calls.json(
                      """
                      {'name': 'Careful sender', 'capabilities': [{'id': 'messaging.send'}],
                       'limits': {'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,
                         'approval_required': true}}}
                      """))
              .string("agent_id");
      String approval =
          one.owner()
              .post(Questions.MESSAGE, message(careful))
              .json()
              .object("approval")
              .orElseThrow()
              .text("approval_id");
      Records.publish(one, one.org(), Calls.json(PACK).toString());
      Calls _ = one.operator();
      String webhook =
          one.owner()
              .post(
                  "/api/webhooks",
                  Calls.json("{'url': 'https://example.com/', 'events': ['decision.denied']}"))
              .json()
              .object("webhook")
              .orElseThrow()
              .text("webhook_id");
      try (Connection other = EachStore.POSTGRES.connection(settings);
          Statement statement = other.createStatement()) {
        other.setAutoCommit(false);
        statement.execute("LOCK TABLE webhook_delivery IN ACCESS EXCLUSIVE MODE");
        for (int i = 0; i < LISTS; i++) {
          Future<Reply> _ =
              lists.submit(() -> two.admin().get("/api/webhooks/" + webhook + "/deliveries"));
        }
        while (waiting(statement) < 7) {
          Thread.onSpinWait();
        }
        Reply reply = two.withKey(one.key()).post(Questions.MESSAGE, message(agent));
        Reply dry =
            two.withKey(one.key()).post(Questions.MESSAGE + "?dry_run=true", message(agent));
        Reply read =
            two.withKey(one.key())
                .post(
                    "/access/v1/evaluation",
                    Calls.json(
                        """
                        {'subject': {'type': 'user', 'id': 'alice'}, 'action': {'name': 'read'},
                         'resource': {'type': 'document', 'id': 'd'}}
                        """));
        Reply approved =
            two.signedIn(TestService.OPERATOR)
                .post("/api/approvals/" + approval + "/approve", Calls.json("{}"));
        Reply halt =
            two.admin()
                .post("/api/orgs/" + one.org() + "/halt", Calls.json("{'reason': 'a stolen key'}"));
        other.rollback();
        assertThat(Questions.code(reply)).isEqualTo("oap.allowed");
        assertThat(Questions.code(dry)).isEqualTo("oap.allowed");
        assertThat(read.json().isTrue("decision")).as(read.toString()).isTrue();
        assertThat(approved.status()).as(approved.toString()).isEqualTo(200);
        assertThat(halt.status()).as(halt.toString()).isEqualTo(200);
      }
    }
  }

  private static JsonObject message(String agent) {
    return Calls.json(
        """
        {'context': {'agent_id': '%s', 'channel_id': 'team', 'message': 'hello',
          'message_type': 'text'}}
        """
            .formatted(agent));
  }

  private static long waiting(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(WAITING)) {
      row.next();
      return row.getLong(1);
    }
  }
}
