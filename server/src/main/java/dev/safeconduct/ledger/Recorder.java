package dev.safeconduct.ledger;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/**
 * Creates unsigned records of changes; decisions create their own. A record's body begins with
 * {@code record_id}, {@code kind}, {@code org_id} and {@code at}. The description of the change
 * follows.
 */
public final class Recorder {
  private final RecordIds ids;
  private final InstantSource clock;

  public Recorder(RecordIds ids, InstantSource clock) {
    this.ids = ids;
    this.clock = clock;
  }

  /** Returns the current time to the millisecond, which a change and its record share. */
  public Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  /** Returns a new id, greater than all before it. */
  public UUID nextId() {
    return ids.next();
  }

  /** Returns a new id as 32 hex digits, in time order. */
  public String nextHex() {
    return ids.nextHex();
  }

  public AuditRecord write(RecordKind kind, OrgId org, Instant at, Origin origin, JsonObject what) {
    return write(kind, org, Optional.empty(), at, details(origin), what);
  }

  public AuditRecord write(
      RecordKind kind, OrgId org, AgentId agent, Instant at, Origin origin, JsonObject what) {
    return write(kind, org, Optional.of(agent), at, details(origin), what);
  }

  /** Returns the record of what the service does by itself, in the named job. */
  public AuditRecord writeOwn(
      RecordKind kind,
      OrgId org,
      Optional<AgentId> agent,
      Instant at,
      String job,
      JsonObject what) {
    return write(kind, org, agent, at, details("", "service", job), what);
  }

  private AuditRecord write(
      RecordKind kind,
      OrgId org,
      Optional<AgentId> agent,
      Instant at,
      byte[] details,
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
        details);
  }

  /** The origin of a change as its record stores it, in canonical JSON. */
  private static byte[] details(Origin origin) {
    return details(origin.address(), origin.caller().name(), origin.requestId());
  }

  private static byte[] details(String address, String caller, String requestId) {
    return CanonicalJson.bytes(
        JsonObject.builder()
            .put("address", address)
            .put("caller", caller)
            .put("request_id", requestId)
            .build());
  }
}
