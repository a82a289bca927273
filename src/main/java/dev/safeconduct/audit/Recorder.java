package dev.safeconduct.audit;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes out records of changes, unsigned; decisions make their own. A record's body begins with
 * {@code record_id}, {@code kind}, {@code org_id} and {@code at}, then says what was changed.
 */
public final class Recorder {
  private final RecordIds ids;
  private final InstantSource clock;

  public Recorder(RecordIds ids, InstantSource clock) {
    this.ids = ids;
    this.clock = clock;
  }

  /** Now, to the millisecond: the time a change and its record share. */
  public Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  /** A new id as 32 hex digits, in the order of time. */
  public String nextHex() {
    return ids.nextHex();
  }

  public AuditRecord write(RecordKind kind, OrgId org, Instant at, Origin origin, JsonObject what) {
    return write(kind, org, Optional.empty(), at, origin, what);
  }

  public AuditRecord write(
      RecordKind kind, OrgId org, AgentId agent, Instant at, Origin origin, JsonObject what) {
    return write(kind, org, Optional.of(agent), at, origin, what);
  }

  private AuditRecord write(
      RecordKind kind,
      OrgId org,
      Optional<AgentId> agent,
      Instant at,
      Origin origin,
      JsonObject what) {
    UUID id = ids.next();
    JsonObject.Builder body =
        JsonObject.builder()
            .put("record_id", id.toString())
            .put("kind", kind.wire())
            .put("org_id", org.value())
            .put("at", IsoInstant.millis(at));
    agent.ifPresent(named -> body.put("agent_id", named.value()));
    return new AuditRecord(
        id,
        kind,
        org,
        at,
        agent,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        CanonicalJson.bytes(body.putAll(what).build()),
        new byte[0],
        origin.details());
  }
}
