package dev.safeconduct.signing;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the audit log says of the signing keys: each enters it with its public key, and is retired
 * and revoked by a record. The table {@code signing_key} is compared with it.
 */
public final class KeyRecords {
  public static final String CREATED = "signing_key_created";
  public static final String ROTATED = "signing_key_rotated";
  public static final String REVOKED = "signing_key_revoked";

  private final Map<String, Key> keys = new LinkedHashMap<>();
  private final List<String> contradictions = new ArrayList<>();

  /** The key of a {@code kid} by its records. */
  private record Key(
      String purpose,
      String x,
      Instant createdAt,
      @Nullable Instant retiredAt,
      @Nullable Instant revokedAt) {}

  /** Adds the next record of the log; only those of signing keys count. */
  public void add(AuditRecord record) {
    if (record.kind() != RecordKind.CONFIG) {
      return;
    }
    try {
      JsonObject body = Json.parseObject(record.body());
      switch (body.string("change").orElse("")) {
        case CREATED ->
            enters(
                body,
                "kid",
                "x",
                body.string("created_at").flatMap(IsoInstant::parse).orElse(record.at()));
        case ROTATED -> {
          ends(body, "retired_kid", record.at(), null);
          enters(body, "kid", "x", record.at());
        }
        case REVOKED -> {
          ends(body, "kid", record.at(), record.at());
          if (body.has("replaced_by")) {
            enters(body, "replaced_by", "replaced_by_x", record.at());
          }
        }
        default -> {}
      }
    } catch (JsonFault e) {
      contradictions.add("the record " + record.id() + " cannot be read");
    }
  }

  /** Adds a row of the log that holds no record. */
  void unreadable(long logIndex) {
    contradictions.add("the record " + logIndex + " of the log, of a signing key, cannot be read");
  }

  /** Returns the record's members for a key that it brings in. */
  public static JsonObject.Builder created(SealedKey key) {
    return what(CREATED, key.purpose())
        .put("kid", key.kid())
        .put("x", key.x())
        .put("created_at", IsoInstant.millis(key.createdAt()));
  }

  /** Begins the members of a record about a key of the purpose. */
  public static JsonObject.Builder what(String change, Purpose purpose) {
    return JsonObject.builder().put("change", change).put("purpose", purpose.wire());
  }

  private void enters(JsonObject body, String kidName, String xName, Instant at) {
    String kid = body.string(kidName).orElse("?");
    var key =
        new Key(body.string("purpose").orElse("?"), body.string(xName).orElse("?"), at, null, null);
    Key known = keys.putIfAbsent(kid, key);
    if (known != null && !(known.x().equals(key.x()) && known.createdAt().equals(at))) {
      contradictions.add("the log brings in the signing key " + kid + " twice, with other members");
    }
  }

  private void ends(JsonObject body, String kidName, Instant at, @Nullable Instant revokedAt) {
    String kid = body.string(kidName).orElse("?");
    Key key = keys.get(kid);
    if (key == null) {
      contradictions.add("the log retires the signing key " + kid + ", which it did not bring in");
      return;
    }
    keys.put(
        kid,
        new Key(
            key.purpose(),
            key.x(),
            key.createdAt(),
            key.retiredAt() == null ? at : key.retiredAt(),
            key.revokedAt() == null ? revokedAt : key.revokedAt()));
  }

  public boolean has(String kid) {
    return keys.containsKey(kid);
  }

  public boolean isRevoked(String kid) {
    Key key = keys.get(kid);
    return key != null && key.revokedAt() != null;
  }

  /** Returns the public key with which the {@code kid} of the purpose entered the log. */
  public Optional<String> x(String kid, Purpose purpose) {
    return Optional.ofNullable(keys.get(kid))
        .filter(key -> key.purpose().equals(purpose.wire()))
        .map(Key::x);
  }

  /**
   * Compares the table with the records; returns a sentence for each difference.
   *
   * @param complete whether a row without a record is a difference. It is none at a start, which
   *     adds the record: only the master key can have sealed the row.
   */
  public List<String> differences(List<SealedKey> rows, boolean complete) {
    var found = new ArrayList<String>(contradictions);
    var missing = new LinkedHashMap<>(keys);
    for (SealedKey row : rows) {
      String name = "the signing key " + row.kid();
      Key key = missing.remove(row.kid());
      if (key == null) {
        if (complete) {
          found.add(name + " is in the database, but no record of the log brings it in");
        }
        continue;
      }
      if (!key.x().equals(row.x())
          || !key.purpose().equals(row.purpose().wire())
          || !key.createdAt().equals(row.createdAt())) {
        found.add(name + " has another public key, purpose or time in the log");
      }
      same(found, name, "revoked", key.revokedAt(), row.revokedAt());
      same(found, name, "retired", key.retiredAt(), row.retiredAt());
    }
    missing
        .keySet()
        .forEach(
            kid -> found.add("the signing key " + kid + " is in the log, but not in the database"));
    return found;
  }

  /**
   * Compares a published key set with the records; returns a sentence for each difference.
   *
   * @param published the public keys of the set by {@code kid}
   */
  public List<String> publishedDifferences(Map<String, String> published) {
    var found = new ArrayList<String>();
    published.forEach((kid, x) -> {
      Key key = keys.get(kid);
      if (key == null || !key.x().equals(x)) {
        found.add("the key set has " + kid + ", which the log does not bring in like this");
      } else if (key.revokedAt() != null) {
        found.add("the key set has " + kid + ", which the log revokes");
      }
    });
    keys.forEach((kid, key) -> {
      boolean shown = key.revokedAt() == null && !key.purpose().equals(Purpose.SESSION.wire());
      if (shown && !published.containsKey(kid)) {
        found.add("the key set does not have " + kid + ", which the log brings in");
      }
    });
    return found;
  }

  private static void same(
      List<String> found, String name, String what, @Nullable Instant log, Optional<Instant> row) {
    if (!Optional.ofNullable(log).equals(row)) {
      found.add(
          name
              + (log == null
                  ? " is " + what + " in the database, but not by the log"
                  : row.isEmpty()
                      ? " was " + what + " by the log, but not in the database"
                      : " was " + what + " at another time by the log"));
    }
  }
}
