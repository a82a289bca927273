package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordIds;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of observe mode is recorded once, by whichever node sees it. */
final class ObserveEndTest {
  private static final OrgId ORG = new OrgId("org_1");
  private static final Origin OPERATOR = new Origin(new Caller.Admin(), "", "test");
  private static final AgentId AGENT = new AgentId("ap_" + "1".repeat(32));

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void recordsEachEndOnce(EachStore kind, @TempDir Path folder) {
    var clock = new MovableClock();
    var recorder = new Recorder(new RecordIds(clock, new Random(7)::nextLong), clock);
    try (Storage store = Storage.open(kind.newStore(folder), clock, List.of())) {
      addOrganization(store, clock.instant());
      var modes = new ObserveModes(store);
      var set =
          new SetObserveMode(modes, new Events(store, recorder, "https://safe.example"), recorder);
      for (Optional<AgentId> agent : List.of(Optional.of(AGENT), Optional.<AgentId>empty())) {
        set.begin(
            OPERATOR,
            new SetObserveMode.Asked(
                ORG, agent, clock.instant().plus(Duration.ofDays(1)), false, "a trial"));
      }
      set.recordEnds();
      assertThat(modes.applying(ORG, clock.instant())).hasSize(2);
      assertThat(ends(store)).isZero();
      clock.advance(Duration.ofDays(1));
      assertThat(modes.applying(ORG, clock.instant())).isEmpty();
      assertThat(modes.applying(ORG, AGENT, clock.instant())).isEmpty();
      set.recordEnds();
      set.recordEnds();
      assertThat(ends(store)).isEqualTo(2);
      assertThat(modes.find(ORG, Optional.empty())).isEmpty();
    }
  }

  /** Else it could be prolonged for ever, and nobody would see that it ever ended. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void keepsItsFirstDayWhileItIsRenewedAndRecordsAnEndThatIsOverwritten(
      EachStore kind, @TempDir Path folder) {
    var clock = new MovableClock();
    var recorder = new Recorder(new RecordIds(clock, new Random(7)::nextLong), clock);
    try (Storage store = Storage.open(kind.newStore(folder), clock, List.of())) {
      addOrganization(store, clock.instant());
      var modes = new ObserveModes(store);
      var set =
          new SetObserveMode(modes, new Events(store, recorder, "https://safe.example"), recorder);
      for (Optional<AgentId> agent : List.of(Optional.of(AGENT), Optional.<AgentId>empty())) {
        Instant first = recorder.now();
        Instant last = first.plus(ObserveMode.MOST);
        begin(set, agent, last);
        clock.advance(Duration.ofDays(10));
        assertThatThrownBy(() -> begin(set, agent, last.plusMillis(1)))
            .isInstanceOf(ProblemException.class)
            .hasMessageContaining("at most 30 days");
        assertThat(begin(set, agent, last.minusSeconds(1)).since()).isEqualTo(first);
        assertThat(begin(set, agent, last).since()).isEqualTo(first);
        clock.advance(Duration.ofDays(20));
        long before = ends(store);
        assertThat(set.end(OPERATOR, ORG, agent)).isFalse();
        assertThatThrownBy(() -> begin(set, agent, last.plusSeconds(1)))
            .isInstanceOf(ProblemException.class)
            .hasMessageContaining("again at " + IsoInstant.millis(last.plus(ObserveMode.MOST)));
        clock.advance(ObserveMode.MOST);
        Instant again = last.plus(ObserveMode.MOST);
        assertThat(begin(set, agent, again.plus(ObserveMode.MOST)).since()).isEqualTo(again);
        assertThat(ends(store)).isEqualTo(before + 1);
        set.recordEnds();
        assertThat(ends(store)).isEqualTo(before + 1);
        assertThat(set.end(OPERATOR, ORG, agent)).isTrue();
      }
      assertThat(texts(store, "details", "observe_mode_expired"))
          .hasSize(2)
          .allMatch(details -> details.contains("\"caller\":\"service\""));
    }
  }

  /** Else it would last as long as somebody ends and begins it in turn. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void countsTheDaysBeforeAnEarlyEnd(EachStore kind, @TempDir Path folder) {
    var clock = new MovableClock();
    var recorder = new Recorder(new RecordIds(clock, new Random(7)::nextLong), clock);
    try (Storage store = Storage.open(kind.newStore(folder), clock, List.of())) {
      addOrganization(store, clock.instant());
      var modes = new ObserveModes(store);
      var set =
          new SetObserveMode(modes, new Events(store, recorder, "https://safe.example"), recorder);
      Optional<AgentId> agent = Optional.of(AGENT);
      for (int ended : List.of(12, 10)) {
        begin(set, agent, recorder.now().plus(Duration.ofDays(ended)));
        clock.advance(Duration.ofDays(10));
        assertThat(set.end(OPERATOR, ORG, agent)).isEqualTo(ended > 10);
        assertThat(modes.applying(ORG, AGENT, recorder.now())).isEmpty();
      }
      set.recordEnds();
      assertThat(modes.find(ORG, agent)).isEmpty();
      clock.advance(Duration.ofDays(29));
      Instant last = recorder.now().plus(Duration.ofDays(10));
      assertThatThrownBy(() -> begin(set, agent, last.plusMillis(1)))
          .isInstanceOf(ProblemException.class)
          .hasMessageContaining("until can be at most " + IsoInstant.millis(last));
      assertThat(begin(set, agent, last).since()).isEqualTo(recorder.now());
      assertThat(set.end(OPERATOR, ORG, agent)).isTrue();
      clock.advance(ObserveMode.MOST);
      Instant whole = recorder.now().plus(ObserveMode.MOST);
      assertThat(begin(set, agent, whole).until()).isEqualTo(whole);

      clock.advance(Duration.ofHours(-1)); // another node's clock is behind
      assertThat(set.end(OPERATOR, ORG, agent)).isTrue();
      clock.advance(Duration.ofHours(2));
      Instant most = recorder.now().plus(ObserveMode.MOST);
      assertThatThrownBy(() -> begin(set, agent, most.plusMillis(1)))
          .isInstanceOf(ProblemException.class)
          .hasMessageContaining("until can be at most " + IsoInstant.millis(most));
    }
  }

  private static void addOrganization(Storage store, Instant now) {
    boolean _ =
        store.change(connection -> {
          Organizations.insert(connection, new Organization(ORG, "Works", now));
          return MutationResult.none(true);
        });
  }

  private static ObserveMode begin(SetObserveMode set, Optional<AgentId> agent, Instant until) {
    return set.begin(OPERATOR, new SetObserveMode.Asked(ORG, agent, until, false, "a trial"));
  }

  private static List<String> texts(Storage store, String column, String change) {
    return store
        .list(
            "SELECT body, " + column + " FROM audit WHERE kind = 'config'",
            row ->
                new String(row.getBytes(1), StandardCharsets.UTF_8).contains(change)
                    ? new String(row.getBytes(2), StandardCharsets.UTF_8)
                    : "")
        .stream()
        .filter(text -> !text.isEmpty())
        .toList();
  }

  private static long ends(Storage store) {
    return texts(store, "body", "observe_mode_expired").size();
  }
}
