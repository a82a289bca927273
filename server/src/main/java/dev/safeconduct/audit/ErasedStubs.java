package dev.safeconduct.audit;

import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * A digest over the remaining columns of erased records, in log order. The record of the erasure
 * contains it, so that a later change or addition is detected. It is a SHA-256 over one line per
 * record: position, id, kind, organization and time in milliseconds, separated by spaces.
 */
public final class ErasedStubs {
  private final MessageDigest sha = Sha256.begin();

  /** Adds a record, without its contents. */
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

  public void add(StoredRecord stored) {
    AuditRecord record = stored.entry();
    add(
        stored.logIndex(),
        record.id().toString(),
        record.kind().wire(),
        record.org().value(),
        record.at().toEpochMilli(),
        stored.commitment().entry());
  }

  /** Returns {@code sha256:} and 64 hex digits; nothing can be added afterwards. */
  public String digest() {
    return "sha256:" + HexFormat.of().formatHex(sha.digest());
  }
}
