package dev.safeconduct.replay;

import dev.safeconduct.audit.StoredRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** What has been recorded, read without changing anything. */
public interface Past {
  /**
   * Which decisions to look at.
   *
   * @param org only those of the organization
   * @param policyId the id of the pack that decided
   * @param from inclusive
   * @param to exclusive
   */
  record Span(Optional<OrgId> org, String policyId, Instant from, Instant to) {}

  /** The decisions in the order of the log, one after the other. */
  void decisions(Span span, Consumer<StoredRecord> each);

  /** The ids of the span's decisions whose charges have been given back. */
  Set<UUID> released(Span span);

  /** The passport as it is now. */
  Optional<JsonObject> passport(AgentId agent);

  /** What has been recorded of the passport, oldest first; no decisions. */
  List<StoredRecord> history(AgentId agent);
}
