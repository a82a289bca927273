package dev.safeconduct.authzen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A candidate version is judged with the subjects and resources that it lists itself. */
final class AuthzenTrialTest {
  private static final String READERS = "\"readers\": [\"alice\", \"bob\"], \"writers\"";
  private static final String USERS = "\"alice\": {},";

  @TempDir private Path folder;

  private static boolean asks(Calls calls, String subject, String action, String resource) {
    return Records.decision(
        calls.post(
            Records.EVALUATION, Records.question(subject, "{'name': '" + action + "'}", resource)));
  }

  private static String user(String id) {
    return "{'type': 'user', 'id': '" + id + "'}";
  }

  private static String resource(String id) {
    return "{'type': 'record', 'id': '" + id + "'}";
  }

  /** The counts of the shadow version once that many decisions were evaluated. */
  private static JsonObject counts(TestService service, String pack, int evaluated) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      JsonObject counts =
          service.admin().get(pack + "/shadow").json().object("counts").orElseThrow();
      if (Questions.number(counts, "evaluated") >= evaluated) {
        return counts;
      }
      assertThat(System.nanoTime()).as(counts.toString()).isLessThan(deadline);
    }
  }

  private CommandRun replay(Map<String, String> settings, String candidate) throws IOException {
    Path pack = Files.writeString(folder.resolve("candidate.json"), candidate);
    return CommandRun.replay(settings, "--pack", pack.toString(), "--from", "2026-01-01");
  }

  @ParameterizedTest
  @EnumSource
  void shadowAndReplayUseTheCandidatesData(EachStore store) throws IOException {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.resolve("data").toString());
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String active = Records.pack();
      String pack = "/api/orgs/" + service.org() + "/policies/acme.records.v1";
      Records.setUp(service, service.org());
      // Record-1 is for alice only, and alice is not listed.
      String narrower =
          active.replaceFirst(Pattern.quote(READERS), "\"readers\": [\"alice\"], \"writers\"");
      assertThat(service.admin().put(pack, narrower).status()).isEqualTo(201);
      assertThat(service.admin().post(pack + "/shadow", "").status()).isEqualTo(200);
      assertThat(asks(service.owner(), user("bob"), "read", resource("record-1"))).isTrue();
      assertThat(asks(service.owner(), user("bob"), "read", resource("record-2"))).isTrue();
      assertThat(asks(service.owner(), user("alice"), "read", resource("record-1"))).isTrue();
      // What the caller says itself stays.
      String said = "{'type': 'record', 'id': 'record-1', 'properties': {'readers': ['bob']}}";
      assertThat(asks(service.owner(), user("bob"), "read", said)).isTrue();
      JsonObject counts = counts(service, pack, 4);
      assertThat(Questions.number(counts, "would_deny")).as(counts.toString()).isEqualTo(1);
      assertThat(Questions.number(counts, "same")).isEqualTo(3);

      CommandRun same = replay(settings, active);
      assertThat(same.status()).as(same.out()).isZero();
      assertThat(same.out()).contains("4 the same", "0 cannot be evaluated");
      CommandRun flips = replay(settings, narrower);
      assertThat(flips.status()).isEqualTo(1);
      assertThat(flips.out()).contains("1 allows would be denies", "by readers_read");
      CommandRun gone = replay(settings, active.replace(USERS, ""));
      assertThat(gone.out()).contains("1 allows would be denies", "oap.unknown_capability");
      CommandRun open = replay(settings, active.replace(USERS, "\"*\": {},"));
      assertThat(open.status()).as(open.out()).isZero();
      CommandRun trusted =
          replay(settings, narrower.replace("\"record\": {", "\"record\": {\"trusted\": true, "));
      assertThat(trusted.out()).contains("2 allows would be denies");

      // A hosted agent, whose role the caller says.
      String agent =
          Questions.hosted(
              service,
              service.org(),
              Calls.json("{'name': 'Clerk', 'capabilities': [{'id': 'acme.records'}]}"));
      String clerk = "{'type': 'agent', 'id': '" + agent + "', 'properties': {'role': 'admin'}}";
      assertThat(asks(service.owner(), clerk, "write", resource("record-2"))).isTrue();
      String unarchived =
          active.replace(
              "\"archived\", \"readers\": [\"alice\", \"bob\"], \"writers\": [\"alice\"]",
              "\"active\", \"readers\": [\"alice\", \"bob\"], \"writers\": []");
      assertThat(replay(settings, unarchived).out())
          .contains("1 allows would be denies", agent, "by writers_write_what_is_not_archived");
    }
  }

  /** No version lets a suspended agent act. */
  @ParameterizedTest
  @EnumSource
  void aSuspendedAgentIsDeniedByEachVersion(EachStore store) throws IOException {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.resolve("data").toString());
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      Records.setUp(service, service.org());
      String agent =
          Questions.hosted(
              service,
              service.org(),
              Calls.json("{'name': 'Clerk', 'capabilities': [{'id': 'acme.records'}]}"));
      String clerk = "{'type': 'agent', 'id': '" + agent + "', 'properties': {'role': 'admin'}}";
      String lists =
          Records.pack()
              .replace("\"user\": {", "\"agent\": {\"%s\": {}}, \"user\": {".formatted(agent));
      String pack = "/api/orgs/" + service.org() + "/policies/acme.records.v1";
      assertThat(service.admin().put(pack, lists).status()).isEqualTo(201);
      assertThat(service.admin().post(pack + "/shadow", "").status()).isEqualTo(200);
      assertThat(asks(service.owner(), clerk, "write", resource("record-2"))).isTrue();
      Questions.status(service, agent, "suspended");
      assertThat(asks(service.owner(), clerk, "write", resource("record-2"))).isFalse();
      assertThat(Questions.number(counts(service, pack, 2), "same")).isEqualTo(2);
      assertThat(service.admin().post(pack + "/activate", "").status()).isEqualTo(200);
      assertThat(asks(service.owner(), clerk, "write", resource("record-2"))).isFalse();
      assertThat(replay(settings, lists).out())
          .contains("2 the same", "1 cannot be evaluated", "of the listed agent");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatATrustedTypeIgnoredIsNotGuessed(EachStore store) throws IOException {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.resolve("data").toString());
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String active = Records.pack().replace("\"record\": {", "\"record\": {\"trusted\": true, ");
      Records.publish(service, service.org(), active);
      String forged = "{'type': 'record', 'id': 'record-1', 'properties': {'writers': ['bob']}}";
      assertThat(asks(service.owner(), user("bob"), "write", forged)).isFalse();
      assertThat(replay(settings, active).status()).isZero();
      CommandRun unknown = replay(settings, Records.pack());
      assertThat(unknown.status()).as(unknown.out()).isEqualTo(3);
      assertThat(unknown.out())
          .contains("that the pack ignored then is not recorded")
          .contains("1 of 1 decisions could not be evaluated");
    }
  }

  /** A pack whose rule reads {@code amount}; with a model, of the action's properties. */
  private static String payments(boolean model) {
    String entity = "{'type': 'object'}";
    return Calls.json(
            """
            {'id': 'acme.payments.v1', 'name': 'Payments', 'version': '1.0.0',
             'description': 'Small payments are allowed.', 'min_assurance': 'L0',
             'requires_capabilities': ['acme.pay'],%s
             'required_context': {'type': 'object', 'required': [%s], 'properties': {%s}},
             'evaluation_rules': [{'name': 'small', 'deny_code': 'oap.limit_exceeded',
               'message': 'The amount is too large.', 'condition': '%s < 100'}]}
            """
                .formatted(
                    model ? "'authzen': {'actions': ['pay'], 'resources': {'shop': {}}}," : "",
                    model ? "'subject', 'action', 'resource'" : "'amount'",
                    model
                        ? "'subject': %1$s, 'action': %1$s, 'resource': %1$s".formatted(entity)
                        : "'amount': {'type': 'number'}, 'subject': {'type': 'string'}",
                    model ? "context.action.properties.amount" : "context.amount"))
        .toString();
  }

  @ParameterizedTest
  @EnumSource
  void aCandidateThatAddsOrDropsTheModelGetsItsOwnFormOfTheRequest(EachStore store)
      throws IOException {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.resolve("data").toString());
    try (TestService service = TestService.start(folder.resolve("data"), settings)) {
      String pack = "/api/orgs/" + service.org() + "/policies/acme.payments.v1";
      Records.publish(service, service.org(), payments(false));
      assertThat(service.admin().put(pack, payments(true).replace("1.0.0", "2.0.0")).status())
          .isEqualTo(201);
      assertThat(service.admin().post(pack + "/shadow", "").status()).isEqualTo(200);
      String agent =
          Questions.hosted(
              service,
              service.org(),
              Calls.json("{'name': 'Clerk', 'capabilities': [{'id': 'acme.pay'}]}"));
      String asked =
          "{'subject': {'type': 'agent', 'id': '"
              + agent
              + "'}, 'action': {'name': '%s',"
              + " 'properties': {'amount': 5}}, 'resource': {'type': 'shop', 'id': 's'}}";
      assertThat(decided(service, asked.formatted("acme.payments.v1"))).isTrue();
      JsonObject counts = counts(service, pack, 1);
      assertThat(Questions.number(counts, "same")).as(counts.toString()).isEqualTo(1);
      CommandRun added = replay(settings, payments(true));
      assertThat(added.status()).as(added.out()).isEqualTo(3);
      assertThat(added.out()).contains("which properties were the action's");
      assertThat(replay(settings, payments(false)).out()).contains("1 the same");

      assertThat(service.admin().post(pack + "/activate?version=2", "").status()).isEqualTo(200);
      assertThat(service.admin().put(pack, payments(false).replace("1.0.0", "3.0.0")).status())
          .isEqualTo(201);
      assertThat(service.admin().post(pack + "/shadow?version=3", "").status()).isEqualTo(200);
      assertThat(decided(service, asked.formatted("acme.payments.v1"))).isTrue();
      // Only the model has this action, so the candidate does not evaluate it.
      assertThat(decided(service, asked.formatted("pay"))).isTrue();
      counts = counts(service, pack, 2);
      assertThat(Questions.number(counts, "same")).as(counts.toString()).isEqualTo(1);
      assertThat(Questions.number(counts, "would_deny")).isEqualTo(1);
      CommandRun dropped = replay(settings, payments(false));
      assertThat(dropped.out())
          .contains("2 the same", "1 allows would be denies", "does not evaluate this action");
    }
    Path flat = Files.createDirectories(folder.resolve("acme.payments.v1"));
    Files.writeString(flat.resolve("policy.json"), payments(false));
    Files.writeString(
        Files.createDirectories(flat.resolve("cases")).resolve("cases.json"),
        Calls.json(
                """
                {'name': 'a small payment', 'passport': {'capabilities': [{'id': 'acme.pay'}]},
                 'subject': {'type': 'agent', 'id': 'a'}, 'allow': true,
                 'action': {'name': 'acme.pay', 'properties': {'amount': 5}},
                 'resource': {'type': 'shop', 'id': 's'}, 'context': {'subject': 'Tea'}}
                """)
            .toString());
    CommandRun tested = CommandRun.policies("test", flat.toString());
    assertThat(tested.status()).as(tested.out() + tested.err()).isZero();
  }

  private static boolean decided(TestService service, String question) {
    Reply reply = service.owner().post("/access/v1/evaluation", Calls.json(question));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json().isTrue("decision");
  }
}
