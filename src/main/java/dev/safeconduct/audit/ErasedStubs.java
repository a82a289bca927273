package dev.safeconduct.audit;

import dev.safeconduct.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * A digest over what is left of erased records, in the order of the log: the record of the erasure
 * keeps it, so that nobody can alter or add to what was erased. SHA-256 over a line a record:
 * place, id, kind, organization and time in milliseconds, parted by spaces.
 */
public final class ErasedStubs {
  private final MessageDigest sha = Sha256.begin();

  /** Adds a record; its contents do not count. */
  public void add(long logIndex, String id, String kind, String org, long atMs, byte[] entry) {
    sha.update(
        (logIndex
                + " "
                + id
                + " "
                + kind
                + " "
                + org
                + " "
                + atMs
                + " "
                + HexFormat.of().formatHex(entry)
                + "\n")
            .getBytes(StandardCharsets.UTF_8));
  }

  void add(StoredRecord stored) {
    AuditRecord record = stored.entry();
    add(
        stored.logIndex(),
        record.id().toString(),
        record.kind().wire(),
        record.org().value(),
        record.at().toEpochMilli(),
        stored.commitment().entry());
  }

  /** {@code sha256:} and 64 hex digits; ends the adding. */
  public String digest() {
    return "sha256:" + HexFormat.of().formatHex(sha.digest());
  }
}
