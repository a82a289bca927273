package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The world of the AuthZEN certification scenario, set up as the example does: through the API. */
public final class Records {
  public static final Path EXAMPLE = Path.of("examples", "authzen");

  public static final String EVALUATION = "/access/v1/evaluation";
  public static final String EVALUATIONS = "/access/v1/evaluations";
  public static final String ALICE_READS =
      """
      {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
       "resource": {"type": "record", "id": "record-1"}}
      """;

  private Records() {}

  public static String pack() {
    try {
      return Files.readString(EXAMPLE.resolve("records.json"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Publishes and activates the pack for the organization. */
  public static void setUp(TestService service, String org) {
    publish(service, org, pack());
  }

  public static void publish(TestService service, String org, String pack) {
    Calls admin = service.admin();
    String packs = "/api/orgs/" + org + "/policies";
    Reply made = admin.post(packs, pack);
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    Reply active = admin.post(packs + "/" + made.string("policy_id") + "/activate", "");
    assertThat(active.status()).as(active.toString()).isEqualTo(200);
  }

  public static boolean decision(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json().isTrue("decision");
  }

  /** An AuthZEN evaluation. */
  public static JsonObject question(String subject, String action, String resource) {
    return Calls.json(
        "{'subject': %s, 'action': %s, 'resource': %s}".formatted(subject, action, resource));
  }

  /**
   * A message that the agent of {@link Questions#passport} may send to the channel {@code team}.
   */
  public static JsonObject message(String agent, String channel) {
    return question(
            "{'type': 'agent', 'id': '" + agent + "'}",
            "{'name': 'messaging.message.send.v1', 'properties': {'message_type': 'text'}}",
            "{'type': 'channel', 'id': '1', 'properties': {'channel_id': '" + channel + "'}}")
        .with("context", Calls.json("{'message': 'Done.'}"));
  }
}
