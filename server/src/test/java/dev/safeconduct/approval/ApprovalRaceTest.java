package dev.safeconduct.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.Rooms;
import dev.safeconduct.testkit.TestService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many ask for an approval at once: what waits is bounded, waits once, and is told of. */
final class ApprovalRaceTest {
  private static final int CALLERS = 30;

  private static String passport(TestService service) {
    return service
        .owner()
        .post(
            "/api/passports",
            Calls.json(
                """
                {'name': 'Sender', 'capabilities': [{'id': 'messaging.send'}],
                 'limits': {'messaging.send': {'msgs_per_min': 99, 'msgs_per_day': 99,
                   'channels_allowlist': ['team'], 'approval_required': true}}}
                """))
        .string("agent_id");
  }

  private static Reply ask(TestService node, String key, String agent, String message) {
    Reply reply =
        node.withKey(key)
            .post(
                Questions.MESSAGE,
                Calls.json(
                    """
                    {'context': {'agent_id': '%s', 'channel_id': 'team', 'message': '%s',
                      'message_type': 'text'}}
                    """
                        .formatted(agent, message)));
    assertThat(Questions.code(reply)).isEqualTo("oap.approval_required");
    return reply;
  }

  private static Optional<String> approval(Reply reply) {
    return reply.json().object("approval").flatMap(approval -> approval.string("approval_id"));
  }

  private static List<String> waiting(TestService service, String agent) {
    var waiting = new ArrayList<String>();
    for (var shown :
        service
            .admin()
            .get("/api/approvals?status=pending&limit=200")
            .json()
            .array("approvals")
            .orElseThrow()) {
      JsonObject approval = (JsonObject) shown;
      if (approval.string("agent_id").equals(Optional.of(agent))) {
        waiting.add(approval.string("approval_id").orElseThrow());
      }
    }
    return waiting;
  }

  @ParameterizedTest
  @EnumSource
  void noMoreThanTheMostWait(EachStore store) {
    Map<String, String> settings = store.settings();
    try (TestService one = TestService.start(settings);
        TestService two = TestService.start(settings)) {
      // Without a database to share, both would be services of their own.
      List<TestService> nodes = store == EachStore.POSTGRES ? List.of(one, two) : List.of(one);
      for (int round = 0; round < 3; round++) {
        String agent = passport(one);
        List<Reply> replies =
            AtOnce.run(
                CALLERS, i -> ask(nodes.get(i % nodes.size()), one.key(), agent, "number " + i));
        List<String> told =
            replies.stream().map(ApprovalRaceTest::approval).flatMap(Optional::stream).toList();
        assertThat(told).hasSize(Approval.MOST_WAITING);
        assertThat(waiting(one, agent)).containsExactlyInAnyOrderElementsOf(told);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSameQuestionWaitsOnce(EachStore store) {
    Map<String, String> settings = store.settings();
    try (TestService one = TestService.start(settings);
        TestService two = TestService.start(settings)) {
      List<TestService> nodes = store == EachStore.POSTGRES ? List.of(one, two) : List.of(one);
      for (int round = 0; round < 3; round++) {
        String agent = passport(one);
        List<Reply> replies =
            AtOnce.run(8, i -> ask(nodes.get(i % nodes.size()), one.key(), agent, "the same"));
        var told = new HashSet<String>();
        replies.forEach(reply -> told.add(approval(reply).orElseThrow()));
        assertThat(told).hasSize(1);
        assertThat(waiting(one, agent)).containsExactlyElementsOf(told);
      }
    }
  }

  /** A crash after the decision's commit must lose no email, and its rollback must send none. */
  @Test
  void theEmailsAreStoredWithTheApproval() {
    try (var rooms = new Rooms()) {
      rooms.owner(rooms.ours, "owner@example.com");
      String url = "http://localhost:8080";
      var emails =
          new ApprovalEmails(
              new Approvals(rooms.store), new Memberships(rooms.store), url, rooms.clock);
      var events = new Events(rooms.store, rooms.recorder, url);
      Instant now = rooms.recorder.now();
      for (int i = 0; i < 2; i++) {
        Approval approval = ApprovalEmailsTest.approval(rooms.ours, "ap_1", i, now);
        AuditRecord decision =
            rooms.recorder.write(
                RecordKind.CONFIG, rooms.ours, now, Rooms.admin(), JsonObject.EMPTY);
        assertThat(
                rooms.store.<Boolean>change(connection ->
                    MutationResult.none(
                        new ApprovalStep.Open(approval, events, emails)
                            .take(connection, decision))))
            .isTrue();
        assertThat(rooms.waiting("approval")).hasSize(1); // one for both
      }
    }
  }

  @Test
  void somebodyIsToldOfWhatCameAtTheSameMoment() {
    try (TestService service = TestService.start()) {
      service.operator(); // who may answer, and so is told
      List<String> agents =
          Stream.generate(() -> passport(service)).limit(CALLERS).distinct().toList();
      AtOnce.run(
          2 * CALLERS, i -> ask(service, service.key(), agents.get(i / 2), "number " + i).status());
      for (String agent : agents) {
        int letters = 0;
        boolean told = false;
        while (!told) { // a letter that never comes ends the waiting with a failure
          letters++;
          told =
              service.letters().await(TestService.OPERATOR, letters).stream()
                  .anyMatch(letter -> letter.contains(agent));
        }
      }
    }
  }
}
