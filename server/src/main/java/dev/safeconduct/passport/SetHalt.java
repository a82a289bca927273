package dev.safeconduct.passport;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
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
    return told(
        halts.put(halt, notices(org, Optional.of(reason), now), write(origin, log, now, what)));
  }

  /**
   * Ends one halt: an operator's, or else the organization's own. Another halt stays.
   *
   * @return false if it is not halted; nothing is changed then
   * @throws dev.safeconduct.error.ProblemException 403 when only an operator halted it and the
   *     caller is not an operator
   */
  boolean resume(Origin origin, OrgId org, OrgId log) {
    Instant now = recorder.now();
    JsonObject what =
        JsonObject.builder()
            .put(
                "change",
                org.equals(Halt.ALL) ? "all_organizations_resumed" : "organization_resumed")
            .build();
    return told(
        halts.remove(
            org,
            isOperator(origin),
            notices(org, Optional.empty(), now),
            write(origin, log, now, what)));
  }

  /** {@code reason}: of the halt, or empty when it ends. */
  private Halts.Notices notices(OrgId org, Optional<String> reason, Instant now) {
    List<OutboxEntry> written = emails.about(org, reason.isPresent(), now);
    Set<OrgId> orgs =
        org.equals(Halt.ALL) ? events.subscribers(EventType.ORGANIZATION_HALTED) : Set.of(org);
    return (connection, left) -> {
      for (OutboxEntry email : written) {
        Outbox.insert(connection, email);
      }
      for (OrgId each : orgs) {
        if (reason.isPresent() || (left.isEmpty() && !staysHalted(each, org))) {
          events.insert(connection, Event.halt(each, reason));
        }
      }
    };
  }

  /** Whether the organization has a halt besides those of {@code ends}. */
  private boolean staysHalted(OrgId org, OrgId ends) {
    return !halts.of(ends.equals(Halt.ALL) ? org : Halt.ALL).isEmpty();
  }

  private AuditRecord write(Origin origin, OrgId log, Instant now, JsonObject what) {
    return recorder.write(RecordKind.CONFIG, log, now, origin, what);
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
