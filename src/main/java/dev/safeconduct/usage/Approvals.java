package dev.safeconduct.usage;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Where approvals are kept. They are opened and used by {@link Ledger#commit}. */
public interface Approvals {
  /** The approval of that decision, if the tenant may see it. */
  Optional<Approval> find(Tenant tenant, UUID decisionId);

  /** The agent's approvals that nobody has answered and that are not too late. */
  List<Approval> waiting(OrgId org, String agentId, Instant now, int limit);

  /**
   * The tenant's approvals, newest first.
   *
   * @param status as they stand at {@code now}; all when empty
   * @param before only older ones than that decision's
   */
  List<Approval> list(
      Tenant tenant,
      Optional<Approval.Status> status,
      Instant now,
      Optional<UUID> before,
      int limit);

  /**
   * Keeps the answer with its record, and forgets the context.
   *
   * @return false when it has been answered or is too late; nothing is written then
   */
  boolean answer(Approval approval, Approval.Answer answer, AuditRecord entry);
}
