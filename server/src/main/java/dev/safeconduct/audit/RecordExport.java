package dev.safeconduct.audit;

import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.StoredRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Writes records in log order, one line each. Each line begins with or contains its position, so
 * that an interrupted export can continue after its last complete line.
 */
public final class RecordExport {
  private static final int PAGE = 500;
  private static final String COLUMNS =
      "log_index,record_id,kind,org_id,at,agent_id,policy_id,allow,code,reason,signature,salt,body,"
          + "details,leaf_hash\n";

  private final AuditLog log;
  private final Tenant tenant;
  private final AuditFilter filter;
  private final Predicate<StoredRecord> seen;

  /** The format of a line. */
  public enum Format {
    /** A JSON object per line, as {@code GET /api/audit/{record_id}} returns the record. */
    NDJSON("application/x-ndjson"),
    /** RFC 4180 with a header line; no cell has a line break. */
    CSV("text/csv; charset=utf-8");

    private final String contentType;

    Format(String contentType) {
      this.contentType = contentType;
    }

    public String contentType() {
      return contentType;
    }

    public static Optional<Format> parse(String text) {
      return Arrays.stream(values())
          .filter(format -> format.name().toLowerCase(Locale.ROOT).equals(text))
          .findFirst();
    }
  }

  /** Receives the progress of an export, and may end it by throwing. */
  public interface Reached {
    void at(long place) throws IOException;
  }

  /** {@code seen}: returns which of the found records may be shown. */
  public RecordExport(
      AuditLog log, Tenant tenant, AuditFilter filter, Predicate<StoredRecord> seen) {
    this.log = log;
    this.tenant = tenant;
    this.filter = filter;
    this.seen = seen;
  }

  /**
   * Writes the records after one position and before another.
   *
   * @param after -1 for all; then a header line is written too, where the format has one
   * @param end the number of log records that this export covers
   * @param reached receives from time to time the position up to which the log was read
   */
  public void write(OutputStream out, Format format, long after, long end, Reached reached)
      throws IOException {
    if (after < 0 && format == Format.CSV) {
      out.write(COLUMNS.getBytes(StandardCharsets.UTF_8));
    }
    long last = after;
    while (true) {
      List<StoredRecord> page = log.ascending(tenant, filter, last, PAGE);
      for (StoredRecord record : page) {
        last = record.logIndex();
        if (last >= end) {
          return;
        }
        if (seen.test(record)) {
          out.write(line(record, format).getBytes(StandardCharsets.UTF_8));
        }
      }
      if (page.size() < PAGE) {
        return;
      }
      reached.at(last);
    }
  }

  private static String line(StoredRecord stored, Format format) {
    JsonObject json = RecordJson.record(stored);
    return format == Format.NDJSON ? Json.text(json) + "\n" : csv(stored, json);
  }

  private static String csv(StoredRecord stored, JsonObject json) {
    AuditRecord record = stored.entry();
    JsonObject body = json.object("body").orElse(JsonObject.EMPTY);
    return String.join(
            ",",
            Long.toString(stored.logIndex()),
            record.id().toString(),
            record.kind().wire(),
            cell(record.org().value()),
            IsoInstant.millis(record.at()),
            cell(json.string("agent_id").orElse("")),
            cell(json.string("policy_id").orElse("")),
            record.allow().map(String::valueOf).orElse(""),
            cell(json.string("code").orElse("")),
            cell(DecisionJson.reason(body).map(Decision.Reason::message).orElse("")),
            json.string("signature").orElse(""),
            json.string("salt").orElse(""),
            body.isEmpty() ? "" : cell(Json.text(body)),
            cell(json.object("details").map(Json::text).orElse("")),
            RecordJson.leafHash(stored))
        + "\n";
  }

  /** Prefixes an apostrophe to text that a spreadsheet would interpret as a formula. */
  private static String cell(String text) {
    String line = text.replaceAll("[\\r\\n\\u2028\\u2029]+", " ");
    String safe = !line.isEmpty() && "=+-@\t".indexOf(line.charAt(0)) >= 0 ? "'" + line : line;
    return safe.indexOf(',') < 0 && safe.indexOf('"') < 0
        ? safe
        : '"' + safe.replace("\"", "\"\"") + '"';
  }
}
