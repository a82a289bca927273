package dev.safeconduct.passport;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Halts and resumes an organization, or all of them. The next decision on every node follows it;
 * the change, its audit record, the emails to the owners and the events are committed together.
 */
public final class SetHalt {
  private final Halts halts;
  private final HaltEmails emails;
  private final Events events;
  private final Runnable mailWaits;
  private final Recorder recorder;

  /**
   * @param mailWaits is told that there are emails to send
   */
  public SetHalt(
      Halts halts, HaltEmails emails, Events events, Runnable mailWaits, Recorder recorder) {
    this.halts = halts;
    this.emails = emails;
    this.events = events;
    this.mailWaits = mailWaits;
    this.recorder = recorder;
  }

  /**
   * Halts the organization.
   *
   * @param org the organization, or {@link Halt#ALL}
   * @param log the organization in whose log it is recorded
   * @return false if the same halted it already; nothing is changed then
   */
  boolean halt(Origin origin, OrgId org, OrgId log, String reason) {
    Instant now = recorder.now();
    var halt = new Halt(org, reason, isOperator(origin), now);
    JsonObject what =
        JsonObject.builder()
            .put("change", halt.ofAll() ? "all_organizations_halted" : "organization_halted")
            .put("reason", reason)
            .build();
    List<OutboxEntry> written = emails.about(org, true, now);
    Set<OrgId> orgs = hearing(org);
    return told(
        halts.put(
            halt,
            (connection, _) -> {
              Outbox.insert(connection, written);
              for (OrgId each : orgs) {
                events.insert(connection, Event.halt(each, Optional.of(reason)));
              }
              return recorder.write(RecordKind.CONFIG, log, now, origin, what);
            }));
  }

  /**
   * Ends one halt; another one stays. An operator ends an operator's, unless they ask for the
   * organization's own: a repeated request of theirs must not end both.
   *
   * @param own whether it is the organization's own; everybody but an operator ends no other
   * @return false if there is no such halt; nothing is changed then
   * @throws dev.safeconduct.error.ProblemException 403 when only an operator halted it and the
   *     caller is not an operator
   */
  boolean resume(Origin origin, OrgId org, OrgId log, boolean own) {
    Instant now = recorder.now();
    boolean byOperator = isOperator(origin) && !own;
    JsonObject what =
        JsonObject.builder()
            .put(
                "change",
                org.equals(Halt.ALL) ? "all_organizations_resumed" : "organization_resumed")
            .put("by_operator", byOperator)
            .build();
    List<OutboxEntry> written = emails.about(org, false, now);
    Set<OrgId> orgs = hearing(org);
    return told(
        halts.remove(
            org,
            byOperator,
            isOperator(origin),
            (connection, left) -> {
              Outbox.insert(connection, written);
              for (OrgId each : orgs) {
                if (!isHalted(each, left)) {
                  events.insert(connection, Event.halt(each, Optional.empty()));
                }
              }
              return recorder.write(
                  RecordKind.CONFIG,
                  log,
                  now,
                  origin,
                  what.with("still_halted", JsonBoolean.of(isHalted(org, left))));
            }));
  }

  /** Returns the organizations that get an event about a halt. */
  private Set<OrgId> hearing(OrgId org) {
    return org.equals(Halt.ALL) ? events.subscribers(EventType.ORGANIZATION_HALTED) : Set.of(org);
  }

  private static boolean isHalted(OrgId org, List<Halt> halts) {
    return halts.stream().anyMatch(halt -> halt.ofAll() || halt.org().equals(org));
  }

  private boolean told(boolean changed) {
    if (changed) {
      mailWaits.run();
    }
    return changed;
  }

  private static boolean isOperator(Origin origin) {
    return origin.caller() instanceof Caller.Admin;
  }
}
