package dev.safeconduct.people;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.audit.AuditRecord;
import java.util.List;
import java.util.Map;

/** Stores what a service needs before anybody can use it. */
@FunctionalInterface
public interface Foundation {
  /**
   * Stores all of it, or nothing when one of the marks is there; says whether it did.
   *
   * @param marks named values of the vault
   */
  boolean lay(
      Map<String, byte[]> marks, Organization organization, ApiKey key, List<AuditRecord> entries);
}
