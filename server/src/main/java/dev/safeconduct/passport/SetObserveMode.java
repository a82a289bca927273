package dev.safeconduct.passport;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Begins and ends observe mode. The next decision on every node follows it; the change, its audit
 * record and its event are committed together.
 */
public final class SetObserveMode {
  private static final String CHANGE = "change";

  private final ObserveModes modes;
  private final Events events;
  private final Recorder recorder;

  public SetObserveMode(ObserveModes modes, Events events, Recorder recorder) {
    this.modes = modes;
    this.events = events;
    this.recorder = recorder;
  }

  /**
   * What is asked for.
   *
   * @param agent the agent; empty for every agent of the organization
   */
  record Asked(OrgId org, Optional<AgentId> agent, Instant until, boolean money, String reason) {}

  Instant now() {
    return recorder.now();
  }

  /**
   * Begins observe mode, or replaces what was set; the days before count.
   *
   * @throws dev.safeconduct.error.ProblemException 403 for a caller who is not an owner or
   *     operator, 400 if it would last longer
   */
  ObserveMode begin(Origin origin, Asked asked) {
    demandOwner(origin.caller());
    Instant now = recorder.now();
    var mode =
        new ObserveMode(
            asked.org(),
            asked.agent(),
            asked.until(),
            asked.money(),
            asked.reason(),
            origin.caller().name(),
            now,
            Duration.ZERO);
    AuditRecord entry =
        write(
            origin,
            mode,
            now,
            JsonObject.builder()
                .put(CHANGE, "observe_mode_started")
                .put("until", IsoInstant.millis(mode.until()))
                .put("include_money", mode.money())
                .put("reason", mode.reason())
                .build());
    return modes.put(mode, told(mode, "started", entry), over -> expired(over, now));
  }

  /**
   * Ends observe mode.
   *
   * @return false if it is not set; nothing is changed then
   * @throws dev.safeconduct.error.ProblemException 403 for a caller who is not an owner or operator
   */
  boolean end(Origin origin, OrgId org, Optional<AgentId> agent) {
    demandOwner(origin.caller());
    Instant now = recorder.now();
    Optional<ObserveMode> mode = modes.find(org, agent);
    if (mode.filter(one -> one.applies(now)).isEmpty()) {
      return false; // its end is recorded as that of one whose time is over
    }
    AuditRecord entry = write(origin, mode.get(), now, changed("observe_mode_ended"));
    return modes.end(org, agent, Optional.empty(), told(mode.get(), "ended", entry));
  }

  /** Records the end of those whose time is over. Decisions are enforced whether it runs or not. */
  public void recordEnds() {
    Instant now = recorder.now();
    for (ObserveMode mode : modes.ended(now)) {
      boolean _ = modes.end(mode.org(), mode.agent(), Optional.of(now), expired(mode, now));
    }
  }

  private ObserveModes.Told expired(ObserveMode mode, Instant now) {
    return told(
        mode,
        "expired",
        recorder.writeOwn(
            RecordKind.CONFIG,
            mode.org(),
            mode.agent(),
            now,
            "observe-mode",
            changed("observe_mode_expired")));
  }

  private ObserveModes.Told told(ObserveMode mode, String state, AuditRecord entry) {
    Event event =
        Event.observeMode(
            mode.org(), mode.agent(), state, IsoInstant.millis(mode.until()), mode.reason());
    return new ObserveModes.Told(connection -> events.insert(connection, event), entry);
  }

  private static JsonObject changed(String change) {
    return JsonObject.of(CHANGE, change);
  }

  private AuditRecord write(Origin origin, ObserveMode mode, Instant now, JsonObject what) {
    return mode.agent()
        .map(agent -> recorder.write(RecordKind.CONFIG, mode.org(), agent, now, origin, what))
        .orElseGet(() -> recorder.write(RecordKind.CONFIG, mode.org(), now, origin, what));
  }

  private static void demandOwner(Caller caller) {
    boolean owner =
        switch (caller) {
          case Caller.Admin _ -> true;
          case Caller.Person person -> person.role() == Role.OWNER;
          case Caller.Key _, Caller.Deploy _, Caller.Anonymous _ -> false;
        };
    if (!owner) {
      throw ProblemException.forbidden(
          "Only an owner of the organization or an operator sets observe mode.");
    }
  }
}
