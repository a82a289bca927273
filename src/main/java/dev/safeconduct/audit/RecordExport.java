package dev.safeconduct.audit;

import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Writes records out in the order of the log, a line each that begins with or holds its place, so
 * that an export that broke off can go on behind its last whole line.
 */
public final class RecordExport {
  private static final int PAGE = 500;
  private static final String COLUMNS =
      "log_index,record_id,kind,org_id,at,agent_id,policy_id,allow,code,reason,signature,salt,body,"
          + "details\n";

  private final AuditLog log;
  private final Tenant tenant;
  private final AuditFilter filter;
  private final Predicate<StoredRecord> seen;

  /** How a line looks. */
  public enum Format {
    /** A JSON object a line, as {@code GET /api/audit/{record_id}} shows the record. */
    NDJSON("application/x-ndjson"),
    /** RFC 4180 with a head line; no cell has a line break. */
    CSV("text/csv; charset=utf-8");

    private final String contentType;

    Format(String contentType) {
      this.contentType = contentType;
    }

    public String contentType() {
      return contentType;
    }

    public static Optional<Format> parse(String text) {
      for (Format format : values()) {
        if (format.name().toLowerCase(Locale.ROOT).equals(text)) {
          return Optional.of(format);
        }
      }
      return Optional.empty();
    }
  }

  /** Hears how far an export is, and may end it by throwing. */
  public interface Reached {
    void at(long place) throws IOException;
  }

  /** {@code seen}: which of the records found may be shown. */
  public RecordExport(
      AuditLog log, Tenant tenant, AuditFilter filter, Predicate<StoredRecord> seen) {
    this.log = log;
    this.tenant = tenant;
    this.filter = filter;
    this.seen = seen;
  }

  /**
   * Writes the records after a place and before another.
   *
   * @param after -1 for all; then a head line is written too, where the format has one
   * @param end how many records the log has for this export
   * @param reached told now and then up to which place the log has been looked through
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
            cell(message(body)),
            json.string("signature").orElse(""),
            json.string("salt").orElse(""),
            body.isEmpty() ? "" : cell(Json.text(body)),
            cell(json.object("details").map(Json::text).orElse("")))
        + "\n";
  }

  private static String message(JsonObject body) {
    JsonArray reasons = body.array("reasons").orElse(JsonArray.EMPTY);
    return !reasons.isEmpty()
            && reasons.get(0) instanceof JsonObject first
            && first.get("message") instanceof JsonString(String text)
        ? text
        : "";
  }

  /** A spreadsheet takes what begins like a formula for one, so an apostrophe goes before it. */
  private static String cell(String text) {
    String line = text.replaceAll("[\\r\\n\\u2028\\u2029]+", " ");
    String safe = !line.isEmpty() && "=+-@\t".indexOf(line.charAt(0)) >= 0 ? "'" + line : line;
    return safe.indexOf(',') < 0 && safe.indexOf('"') < 0
        ? safe
        : '"' + safe.replace("\"", "\"\"") + '"';
  }
}
