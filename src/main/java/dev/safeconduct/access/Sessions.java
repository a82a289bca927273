package dev.safeconduct.access;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.Optional;

/**
 * Where sessions are kept. What ends one is announced as {@code session:<id>}, what ends or changes
 * all of a person's as {@code account:<id>}.
 */
public interface Sessions {
  Optional<Session> find(String id);

  /**
   * A session by what its refresh cookie holds.
   *
   * @param current whether it is the newest; else it has been exchanged at {@code rotatedAt}
   */
  record Refresh(Session session, boolean current, Instant rotatedAt) {}

  Optional<Refresh> byRefresh(KeyHash refresh);

  void create(Session session, KeyHash refresh, Instant at, AuditRecord entry);

  /**
   * Exchanges the refresh cookie and moves the session to the organization.
   *
   * @return false when it has been exchanged or ended meanwhile
   */
  boolean rotate(String id, KeyHash old, KeyHash next, OrgId org, Instant at);

  /** Ends the session; false when it had ended (then nothing is recorded). */
  boolean end(String id, Instant at, AuditRecord entry);
}
