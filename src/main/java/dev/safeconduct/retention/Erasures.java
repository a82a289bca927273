package dev.safeconduct.retention;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Erases contents of records, in one transaction with the record that tells of it. Records of
 * erasures and of settings are never erased: they are what the rest is checked by.
 */
public interface Erasures {
  /** Which records. */
  sealed interface Selection {
    /** One of them. */
    record One(UUID id) implements Selection {}

    /** All that fit. */
    record Matching(AuditFilter filter) implements Selection {}
  }

  /**
   * Erases the oldest of the organization's records that fit, {@code limit} at most.
   *
   * @param entry makes the record of it; not asked when there was nothing to erase
   */
  Optional<Erased> erase(
      OrgId org, Selection selection, int limit, Function<Erased, AuditRecord> entry);

  /** Every organization that has a setting. */
  List<Retention> all();

  Optional<Retention> find(OrgId org);

  /** Sets it; the record is made from the setting of before. */
  Retention set(Retention retention, Function<Optional<Retention>, AuditRecord> entry);

  /**
   * Goes a step along the organization's records, erasing those that are older than its setting
   * says at {@code now}.
   *
   * @param entry makes the record of what was erased, if anything was
   * @return whether there may be more to do
   */
  boolean step(OrgId org, Instant now, int limit, Function<Erased, AuditRecord> entry);
}
