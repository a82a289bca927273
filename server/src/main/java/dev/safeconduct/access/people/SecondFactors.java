package dev.safeconduct.access.people;

import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The passkeys and recovery codes of people. */
public final class SecondFactors {
  /** How many passkeys one person may have. */
  private static final int MOST = 20;

  private static final String SELECT =
      """
      SELECT id, account, name, credential, sign_count, backup_eligible, created_at, used_at
        FROM passkey
      """;

  private static final String INSERT =
      Sql.insert(
          "passkey", "id, account, name, credential, sign_count, backup_eligible, created_at");

  /** A counter that does not grow is that of a copy; 0 is that of a key that does not count. */
  private static final String USE =
      """
      UPDATE passkey SET sign_count = :count, used_at = :at
       WHERE id = :id AND account = :account
         AND (sign_count < :count OR (sign_count = 0 AND :count = 0))
      """;

  private static final String COUNT = "SELECT count(*) FROM passkey WHERE account = :account";

  private final Storage storage;

  public SecondFactors(Storage storage) {
    this.storage = storage;
  }

  /** The record of a change, and the email that tells the person. */
  record Noted(AuditRecord entry, OutboxEntry email) {}

  /** Returns a person's passkeys, the oldest first. */
  public List<Passkey> passkeys(String accountId) {
    return storage
        .reads()
        .few(
            Sql.of(SELECT + " WHERE account = :account ORDER BY created_at, id", accountId),
            SecondFactors::read);
  }

  Optional<Passkey> passkey(String id) {
    return storage.first(SELECT + " WHERE id = :id", SecondFactors::read, id);
  }

  /** Returns how many recovery codes a person has left. */
  public int codes(String accountId) {
    return Math.toIntExact(
        storage.number(
            Sql.of("SELECT count(*) FROM recovery_code WHERE account = :account", accountId)));
  }

  /**
   * Stores a passkey, and the recovery codes if it is the person's first.
   *
   * @param onlyFirst whether to refuse a second one: the caller has proved the password alone
   * @return whether it is the first
   * @throws dev.safeconduct.error.ProblemException 401 for an answer that was sent before, 409 for
   *     a credential that is registered, and for too many
   */
  boolean register(
      Passkey passkey,
      WebAuthn.Challenge challenge,
      boolean onlyFirst,
      List<KeyHash> codes,
      Noted noted) {
    return storage.change(connection -> {
      demandUnused(connection, challenge, passkey.createdAt());
      if (Sql.of("SELECT 1 FROM passkey WHERE id = :id", passkey.id()).exists(connection)) {
        throw ProblemException.conflict("This passkey is registered already.", "passkey_exists");
      }
      long before = Sql.of(COUNT, passkey.accountId()).number(connection);
      if (before >= MOST || (onlyFirst && before > 0)) {
        throw ProblemException.conflict(
            onlyFirst
                ? "The account has a passkey already; sign in again and use it."
                : "An account has at most " + MOST + " passkeys; remove one first.",
            "passkey_exists");
      }
      Sql.of(INSERT)
          .set("id", passkey.id())
          .set("account", passkey.accountId())
          .set("name", passkey.name())
          .set("credential", passkey.credential())
          .set("sign_count", passkey.signCount())
          .set("backup_eligible", passkey.backupEligible())
          .set("created_at", passkey.createdAt())
          .update(connection);
      if (before == 0) {
        setCodes(connection, passkey.accountId(), codes);
      }
      Outbox.insert(connection, noted.email());
      return MutationResult.of(before == 0, noted.entry());
    });
  }

  /**
   * Notes the use of a passkey.
   *
   * @return false when its answer was used before, it was removed, or its counter did not grow
   */
  boolean use(Passkey passkey, long count, WebAuthn.Challenge challenge, Instant now) {
    return storage.change(connection -> {
      demandUnused(connection, challenge, now);
      return MutationResult.none(
          Sql.of(USE)
                  .set("count", count)
                  .set("at", now)
                  .set("id", passkey.id())
                  .set("account", passkey.accountId())
                  .update(connection)
              == 1);
    });
  }

  /** Uses a recovery code up; returns false when the person has no such code. */
  boolean useCode(String accountId, KeyHash code, Noted noted) {
    return storage.change(connection -> {
      int used =
          Sql.of(
                  "DELETE FROM recovery_code WHERE account = :account AND hash = :hash",
                  accountId,
                  code.bytes())
              .update(connection);
      if (used == 0) {
        return MutationResult.none(false);
      }
      Outbox.insert(connection, noted.email());
      return MutationResult.of(true, noted.entry());
    });
  }

  boolean rename(String accountId, String id, String name, AuditRecord entry) {
    return storage.update(
        Sql.of(
            "UPDATE passkey SET name = :name WHERE id = :id AND account = :account",
            name,
            id,
            accountId),
        entry);
  }

  /**
   * Removes a passkey; with the last one the recovery codes go too.
   *
   * @param keepsOne whether the person must keep one
   * @throws dev.safeconduct.error.ProblemException 409 for the last one of whoever must keep one
   */
  boolean remove(String accountId, String id, boolean keepsOne, Noted noted) {
    return storage.change(connection -> {
      int removed =
          Sql.of("DELETE FROM passkey WHERE id = :id AND account = :account", id, accountId)
              .update(connection);
      if (removed == 0) {
        return MutationResult.none(false);
      }
      if (Sql.of(COUNT, accountId).number(connection) == 0) {
        if (keepsOne) {
          throw ProblemException.conflict(
              "This is your last passkey, and you must have one here. Add another one first.",
              "last_passkey");
        }
        setCodes(connection, accountId, List.of());
      }
      Outbox.insert(connection, noted.email());
      return MutationResult.of(true, noted.entry());
    });
  }

  /** Replaces the recovery codes; returns false for a person without a passkey. */
  boolean replaceCodes(String accountId, List<KeyHash> codes, Noted noted) {
    return storage.change(connection -> {
      if (Sql.of(COUNT, accountId).number(connection) == 0) {
        return MutationResult.none(false);
      }
      setCodes(connection, accountId, codes);
      Outbox.insert(connection, noted.email());
      return MutationResult.of(true, noted.entry());
    });
  }

  /**
   * Removes all passkeys and codes of a person and ends their sessions; false if there are none.
   */
  boolean reset(String accountId, Instant at, Noted noted) {
    return storage.change(connection -> {
      if (clear(connection, accountId) == 0) {
        return MutationResult.none(false);
      }
      Sessions.endAll(connection, accountId, at);
      Outbox.insert(connection, noted.email());
      return MutationResult.of(true, noted.entry(), Change.account(accountId));
    });
  }

  /** Removes all passkeys and codes of a person within a transaction; returns how many passkeys. */
  static int clear(Connection connection, String accountId) throws SQLException {
    setCodes(connection, accountId, List.of());
    return Sql.of("DELETE FROM passkey WHERE account = :account", accountId).update(connection);
  }

  /** Refuses an answer that was sent before. */
  private static void demandUnused(Connection connection, WebAuthn.Challenge challenge, Instant now)
      throws SQLException {
    if (!Identities.acceptOnce(connection, "passkey " + challenge.id(), now, challenge.expires())) {
      throw WebAuthn.expired();
    }
  }

  private static void setCodes(Connection connection, String accountId, List<KeyHash> codes)
      throws SQLException {
    Sql.of("DELETE FROM recovery_code WHERE account = :account", accountId).update(connection);
    for (KeyHash code : codes) {
      Sql.of(Sql.insert("recovery_code", "account, hash"))
          .set("account", accountId)
          .set("hash", code.bytes())
          .update(connection);
    }
  }

  private static Passkey read(ResultSet row) throws SQLException {
    return new Passkey(
        row.getString("id"),
        row.getString("account"),
        row.getString("name"),
        row.getString("credential"),
        row.getLong("sign_count"),
        row.getInt("backup_eligible") == 1,
        Rows.time(row, "created_at"),
        Rows.optionalTime(row, "used_at"));
  }
}
