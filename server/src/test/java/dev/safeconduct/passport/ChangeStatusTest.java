package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.LocalRateLimits;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.Json;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.testkit.Rooms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ChangeStatusTest {
  private static final Set<String> POSSIBLE =
      Set.of(
          "draft active",
          "draft revoked",
          "active suspended",
          "active revoked",
          "suspended active",
          "suspended revoked");

  @AutoClose private final Rooms rooms = new Rooms();
  private final Origin operator = Rooms.admin();
  private final AgentId id = rooms.passport(rooms.ours, "Bot").agentId();

  @TestFactory
  Stream<DynamicTest> onlyTheseMovesArePossible() {
    return Stream.of(PassportStatus.values())
        .flatMap(from -> Stream.of(PassportStatus.values()).map(to -> List.of(from, to)))
        .map(pair ->
            DynamicTest.dynamicTest(
                pair.toString(), () -> tryMove(pair.getFirst(), pair.getLast())));
  }

  private void tryMove(PassportStatus from, PassportStatus to) {
    String move = from.wire() + " " + to.wire();
    if (from == to || POSSIBLE.contains(move)) {
      ChangeStatus.demandPossible(from, to);
    } else {
      Problems.conflict("impossible_status", () -> ChangeStatus.demandPossible(from, to));
    }
  }

  @Test
  void aSuspensionIsCommittedRecordedAndOnlyThenTold() {
    List<StatusChange> told = new ArrayList<>();
    var changeStatus =
        new ChangeStatus(
            rooms.passports,
            rooms.recorder,
            changes -> {
              assertThat(rooms.passports.find(id).orElseThrow().status())
                  .isEqualTo(PassportStatus.SUSPENDED);
              told.addAll(changes);
              return new StatusReceivers.Delivery(false, 4, Optional.of("refused"));
            });

    var moved = changeStatus.run(operator, move(PassportStatus.SUSPENDED));

    assertThat(told).containsExactly(moved.change());
    assertThat(rooms.lastBody())
        .contains(
            "\"kind\":\"status_change\"",
            "\"status\":\"suspended\"",
            "\"previous_status\":\"active\"",
            "\"reason\":\"because\"");
    assertThat(Json.text(StatusBody.answer(moved)))
        .isEqualTo(
            "{\"ok\":true,\"agent_id\":\""
                + id
                + "\",\"status\":\"suspended\",\"previous_status\":\"active\","
                + "\"updated_at\":\"2026-11-21T09:00:00.000Z\","
                + "\"message\":\"Agent status updated from 'active' to 'suspended'\","
                + "\"webhook\":{\"sent\":false,\"attempts\":4,\"error\":\"refused\"}}");
  }

  /** A node that ends after the commit has the emails in the outbox. */
  @Test
  void theEmailsAreStoredWithTheChange() {
    String owner = rooms.owner(rooms.ours, "owner@example.com");
    StatusReceivers ends =
        emails()
            .before(
                _ -> {
                  throw new IllegalStateException("the node ends");
                },
                () -> {});
    var change = new ChangeStatus(rooms.passports, rooms.recorder, ends);

    assertThatThrownBy(() -> change.run(operator, move(PassportStatus.SUSPENDED)))
        .hasMessage("the node ends");
    assertThat(rooms.passports.find(id).orElseThrow().status()).isEqualTo(PassportStatus.SUSPENDED);
    assertThat(rooms.waiting("status_changed"))
        .singleElement()
        .satisfies(
            email -> assertThat(email.subject()).isEqualTo(owner + " suspended 1 " + id.value()));
  }

  /** The email that says that not all follow is written, also when another change followed. */
  @Test
  void theLastEmailIsWrittenAlthoughTheStatusChangedAgain() {
    rooms.owner(rooms.ours, "owner@example.com");
    StatusEmails emails = emails();
    var change =
        new ChangeStatus(
            rooms.passports, rooms.recorder, emails.before(StatusReceivers.NONE, () -> {}));
    for (int i = 0; i < 7; i++) {
      change.run(operator, move(i % 2 == 0 ? PassportStatus.SUSPENDED : PassportStatus.ACTIVE));
      rooms.clock.advance(Duration.ofSeconds(1));
    }
    List<OutboxEntry> waiting = rooms.waiting("status_changed");
    var writer = Objects.requireNonNull(emails.writers().get("status_changed"));

    assertThat(waiting).hasSize(6);
    assertThat(writer.write(waiting.get(1))).isEmpty();
    assertThat(writer.write(waiting.getLast()).orElseThrow().paragraphs().toString())
        .contains("was changed to active at 2026", "changed again", "changes so often");
  }

  private StatusEmails emails() {
    return new StatusEmails(
        rooms.passports,
        new Accounts(rooms.store),
        new Memberships(rooms.store),
        new LocalRateLimits(rooms.clock),
        "http://localhost:8080");
  }

  @Test
  void theSameStatusAgainChangesAndRecordsNothing() {
    assertThat(change(PassportStatus.SUSPENDED).changed()).isTrue();
    var at = rooms.clock.instant();
    int records = rooms.records().size();
    rooms.clock.advance(Duration.ofHours(1));

    StatusChange again = change(PassportStatus.SUSPENDED);

    assertThat(again.changed()).isFalse();
    assertThat(again.updatedAt()).isEqualTo(at);
    assertThat(again.message()).isEqualTo("Agent status updated from 'suspended' to 'suspended'");
    assertThat(rooms.records()).hasSize(records);
  }

  @Test
  void aRevokedPassportNeverComesBack() {
    assertThat(change(PassportStatus.REVOKED).changed()).isTrue();
    Problems.conflict("impossible_status", () -> change(PassportStatus.ACTIVE));
  }

  @Test
  void itTakesTheScopeAndTheOrganization() {
    Problems.fails(
        Problem.Forbidden.class,
        () ->
            rooms.changeStatus.run(
                Rooms.by(rooms.ours, Scope.UPDATE), move(PassportStatus.SUSPENDED)));
    Problems.fails(
        Problem.NotFound.class,
        () ->
            rooms.changeStatus.run(
                Rooms.by(rooms.theirs, Scope.STATUS), move(PassportStatus.SUSPENDED)));
  }

  @Test
  void theOperatorsWordOnAnOwnerIsRecordedWithItsReason() {
    var assured =
        new SetAssurance(rooms.passports, rooms.recorder)
            .run(
                operator,
                new SetAssurance.Finding(
                    id,
                    AssuranceLevel.L3,
                    "dns",
                    Optional.of(Problems.json("{'domain':'example.com'}"))));

    assertThat(assured.after().document().string("assurance_level")).contains("L3");
    assertThat(rooms.lastBody())
        .contains("\"assurance_level\":\"L3\"", "\"method\":\"dns\"", "example.com");
  }

  private StatusChange change(PassportStatus next) {
    return rooms.changeStatus.run(operator, move(next)).change();
  }

  private ChangeStatus.Move move(PassportStatus next) {
    return new ChangeStatus.Move(id, next, Optional.of("because"));
  }
}
