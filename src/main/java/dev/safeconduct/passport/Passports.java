package dev.safeconduct.passport;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import java.util.List;
import java.util.Optional;

/**
 * Where passports are kept. Each change is one transaction with its record and announces {@code
 * agent:<id>} on the change feed. A passport that was brought over with an id of another form is
 * found, and announced, under the id of its UUID as well.
 */
public interface Passports {
  /** The passport, whoever owns it: for its public view and for judging, which compares owners. */
  Optional<Passport> find(AgentId id);

  /** The passport, if the tenant may see it. */
  Optional<Passport> find(Tenant tenant, AgentId id);

  Optional<Passport> bySlug(Tenant tenant, String slug);

  /** The tenant's passports, newest first, from the place after {@code after}. */
  List<Passport> list(Tenant tenant, PassportFilter filter, Optional<AgentId> after, int limit);

  /** Active passports that anybody may see in a list, newest first, from the place after. */
  List<Passport> listed(Optional<AgentId> after, int limit);

  /** How many the filter finds in all. */
  long count(Tenant tenant, PassportFilter filter);

  /**
   * Adds the passport.
   *
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} when the id or slug is taken
   */
  void create(Passport passport, AuditRecord entry);

  /**
   * Replaces the passport if its stored revision is still {@code expectedRevision}.
   *
   * @return false when it is not; nothing is written then
   * @throws dev.safeconduct.problem.ProblemException {@code Conflict} when the slug is taken
   */
  boolean replace(Passport passport, long expectedRevision, AuditRecord entry);
}
