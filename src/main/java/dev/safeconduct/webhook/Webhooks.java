package dev.safeconduct.webhook;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.util.List;
import java.util.Optional;

/** Where webhooks are kept. Each change is one transaction with its record. */
public interface Webhooks {
  /**
   * Narrows a list.
   *
   * @param agent only those narrowed to this agent
   * @param wholeOrganization only those not narrowed to any
   */
  record Filter(Optional<AgentId> agent, boolean wholeOrganization) {
    public static final Filter ALL = new Filter(Optional.empty(), false);
  }

  Optional<Webhook> find(Tenant tenant, String id);

  /** The organization's webhooks, newest first, from the place after {@code afterId}. */
  List<Webhook> list(OrgId org, Filter filter, Optional<String> afterId, int limit);

  /** Those that want to hear of the agent, at most twice {@link Webhook#MOST_PER_TARGET}. */
  List<Webhook> wanting(OrgId org, AgentId agent);

  /**
   * Adds it.
   *
   * @throws dev.safeconduct.problem.ProblemException 409 when its target has {@link
   *     Webhook#MOST_PER_TARGET} already
   */
  void create(Webhook webhook, AuditRecord entry);

  /**
   * Replaces the row of that revision; false when it has another one by now, or is gone.
   *
   * @throws dev.safeconduct.problem.ProblemException as {@link #create}
   */
  boolean replace(Webhook webhook, long expectedRevision, AuditRecord entry);

  /** Deletes it; false when it is gone already. Its deliveries are forgotten in their time. */
  boolean delete(OrgId org, String id, AuditRecord entry);
}
