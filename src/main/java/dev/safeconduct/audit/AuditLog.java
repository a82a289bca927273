package dev.safeconduct.audit;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** Reads the audit log; appending is part of the transaction that makes the recorded thing true. */
public interface AuditLog {
  /** The record, if the tenant may see it. */
  Optional<StoredRecord> find(Tenant tenant, UUID id);

  /**
   * What has been recorded of the agent's passport, newest first; no decisions.
   *
   * @param before only records with a smaller log index; {@link Long#MAX_VALUE} for the newest
   */
  List<StoredRecord> history(Tenant tenant, AgentId agent, long before, int limit);

  /**
   * The tenant's records, newest first.
   *
   * @param before only records with a smaller log index; {@link Long#MAX_VALUE} for the newest
   * @param limit how many at most
   */
  List<StoredRecord> list(Tenant tenant, AuditFilter filter, long before, int limit);

  /**
   * The tenant's records, oldest first.
   *
   * @param after only records with a greater log index; -1 for the oldest
   */
  List<StoredRecord> ascending(Tenant tenant, AuditFilter filter, long after, int limit);

  /**
   * The outcome of each decision of a time that was not erased, oldest first, one after the other.
   *
   * @param filter with a beginning and an end
   * @param each says whether to go on
   */
  void outcomes(Tenant tenant, AuditFilter filter, Predicate<RecordedOutcome> each);
}
