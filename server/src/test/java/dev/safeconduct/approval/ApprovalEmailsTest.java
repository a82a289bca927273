package dev.safeconduct.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Rooms;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Of each action that waits somebody hears, and no agent fills a mailbox. */
final class ApprovalEmailsTest {
  private static final String URL = "http://localhost:8080";
  private static final String OWNER = "owner@example.com";

  /**
   * What happens minute by minute, and the emails that are sent.
   *
   * @param steps each a minute and {@code owner}, {@code demote} for the owner, {@code ask NAME},
   *     {@code late NAME} for what was asked a minute before and is stored only now, {@code answer
   *     NAME}, or {@code refuse} for a mail server that refuses all emails then
   * @param emails each a minute and the approval that its link leads to
   */
  record Course(String name, List<String> steps, List<String> emails) {}

  static final List<Course> COURSES =
      List.of(
          new Course("one", List.of("0 owner", "0 ask a"), List.of("0 a")),
          new Course(
              "several at a time",
              List.of("0 owner", "0 ask a", "1 ask b", "2 ask c"),
              List.of("0 a", "11 b")),
          new Course(
              "one every nine minutes",
              List.of("0 owner", "0 ask a", "9 ask b", "18 ask c", "27 ask d", "36 ask e"),
              List.of("0 a", "19 b", "37 d")),
          new Course(
              "answered before the quiet time ends",
              List.of("0 owner", "0 ask a", "1 ask b", "2 answer a", "3 answer b"),
              List.of("0 a")),
          new Course(
              "the first is answered, and the second waits",
              List.of("0 owner", "0 ask a", "1 ask b", "2 answer a"),
              List.of("0 a", "11 b")),
          new Course(
              "nobody could be told of the first",
              List.of("0 ask a", "1 owner", "2 ask b"),
              List.of("12 b")),
          new Course(
              "the mail server refused the first",
              List.of("0 owner", "0 ask a", "0 refuse", "2 ask b"),
              List.of("12 b")),
          new Course(
              "the second is answered, and the third waits",
              List.of("0 owner", "0 ask a", "1 ask b", "2 ask c", "3 answer b"),
              List.of("0 a", "11 c")),
          new Course(
              "stored after one that was asked later",
              List.of("0 owner", "0 ask a", "2 ask c", "2 late b", "3 answer c"),
              List.of("0 a", "11 b")),
          new Course(
              "the owner loses the role",
              List.of("0 owner", "0 ask a", "1 ask b", "2 demote"),
              List.of("0 a")),
          new Course(
              "another agent", List.of("0 owner", "0 ask a", "0 ask x"), List.of("0 a", "0 x")));

  private static final int MINUTES = 60;

  @ParameterizedTest
  @FieldSource("COURSES")
  void somebodyHearsOfEachThatWaits(Course course) {
    try (var rooms = new Rooms()) {
      assertThat(new Run(rooms).emails(course.steps()))
          .as(course.name())
          .containsExactlyInAnyOrderElementsOf(course.emails());
    }
  }

  /** A question of the agent's that waits; another number makes another question. */
  static Approval approval(OrgId org, String agent, int number, Instant now) {
    byte[] digest = new byte[32];
    digest[0] = (byte) number;
    return new Approval(
        UUID.randomUUID(),
        org,
        agent,
        "messaging.message.send.v1",
        "sha256:1",
        "sha256:2",
        new byte[16],
        digest,
        digest,
        now,
        now.plus(Approval.LIFETIME),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** One course with a mail server of its own. */
  private static final class Run {
    private final Rooms rooms;
    private final Approvals approvals;
    private final ApprovalEmails emails;
    private final Events events;
    private final Outbox outbox;
    private final Map<String, Approval> opened = new HashMap<>();

    Run(Rooms rooms) {
      this.rooms = rooms;
      this.approvals = new Approvals(rooms.store);
      this.emails = new ApprovalEmails(approvals, new Memberships(rooms.store), URL, rooms.clock);
      this.events = new Events(rooms.store, rooms.recorder, URL);
      this.outbox = new Outbox(rooms.store);
    }

    List<String> emails(List<String> steps) {
      var found = new ArrayList<String>();
      MovableClock clock = rooms.clock;
      for (int minute = 0; minute < MINUTES; minute++) {
        int at = minute;
        for (String step : steps) {
          String[] words = step.split(" ", -1);
          if (words[0].equals(String.valueOf(minute))) {
            take(words[1], words[words.length - 1]);
          }
        }
        for (OutboxEntry entry : due()) {
          Optional.ofNullable(emails.writers().get(entry.kind()))
              .flatMap(writer -> writer.write(entry))
              .map(email -> name(email.link()))
              .ifPresent(name -> found.add(at + " " + name));
          outbox.done(entry.id());
        }
        clock.advance(Duration.ofMinutes(1));
      }
      return found;
    }

    private List<OutboxEntry> due() {
      return outbox.due(rooms.clock.instant(), 100).stream()
          .filter(entry -> !entry.kind().equals("invitation"))
          .toList();
    }

    private String name(String link) {
      return opened.entrySet().stream()
          .filter(each -> link.endsWith("/" + each.getValue().id()))
          .map(Map.Entry::getKey)
          .findFirst()
          .orElse(link);
    }

    private void take(String verb, String name) {
      switch (verb) {
        case "owner" -> assertThat(rooms.owner(rooms.ours, OWNER)).isNotEmpty();
        case "demote" -> {
          boolean _ =
              rooms.store.change(connection ->
                  MutationResult.none(
                      Sql.of("UPDATE member SET role = 'auditor'").update(connection) > 0));
        }
        case "ask" -> ask(name, rooms.recorder.now());
        case "late" -> ask(name, rooms.recorder.now().minus(Duration.ofMinutes(1)));
        case "answer" -> answer(name);
        default -> due().forEach(entry -> outbox.giveUp(entry.id(), rooms.recorder.now(), verb));
      }
    }

    private AuditRecord record() {
      return rooms.recorder.write(
          RecordKind.CONFIG, rooms.ours, rooms.recorder.now(), Rooms.admin(), JsonObject.EMPTY);
    }

    private void answer(String name) {
      Approval approval = opened.get(name);
      assertThat(approval).isNotNull();
      assertThat(
              approvals.answer(
                  approval,
                  new Approval.Answer(true, "account:1", rooms.recorder.now(), ""),
                  record(),
                  events))
          .isTrue();
    }

    private void ask(String name, Instant now) {
      Approval approval =
          approval(rooms.ours, name.equals("x") ? "ap_2" : "ap_1", name.charAt(0), now);
      AuditRecord decision = record();
      assertThat(
              rooms.store.<Boolean>change(connection ->
                  MutationResult.none(
                      new ApprovalStep.Open(approval, events, emails).take(connection, decision))))
          .isTrue();
      opened.put(name, approval);
    }
  }
}
