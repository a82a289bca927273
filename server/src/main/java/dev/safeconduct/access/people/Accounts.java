package dev.safeconduct.access.people;

import dev.safeconduct.access.Sessions;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The people who can sign in. */
public final class Accounts {
  static final String COLUMNS =
      """
      a.id, a.email, a.display_name, a.password, a.password_version, a.operator,
      a.created_at AS account_created_at
      """;

  private static final String SELECT = "SELECT " + COLUMNS + " FROM account a";

  private static final String INSERT =
      Sql.insert(
          "account", "id, email, display_name, password, password_version, operator, created_at");

  private static final String SET_PASSWORD =
      """
      UPDATE account SET password = :password, password_version = :version, email = :email
       WHERE id = :id AND password_version = :expected
      """;

  private final Storage storage;

  public Accounts(Storage storage) {
    this.storage = storage;
  }

  public Optional<Account> find(String id) {
    return storage.first(SELECT + " WHERE a.id = :id", Accounts::read, id);
  }

  public Optional<Account> byEmail(EmailAddress email) {
    return storage.first(SELECT + " WHERE a.email = :email", Accounts::read, email);
  }

  /** Returns the person's memberships, the oldest first. */
  public List<Member> memberships(String accountId) {
    return memberships(accountId, true);
  }

  /**
   * Returns the memberships of a person who has signed in, the oldest first. Groups at the identity
   * provider are read at a sign-in there, so what they gave counts after such a sign-in alone.
   */
  public List<Member> memberships(String accountId, boolean byProvider) {
    return storage
        .reads()
        .few(
            Sql.of(
                "SELECT org, account, role, created_at FROM member WHERE account = :account"
                    + (byProvider ? "" : " AND by_group = 0")
                    + " ORDER BY created_at, org",
                accountId),
            row ->
                new Member(
                    new OrgId(row.getString("org")),
                    row.getString("account"),
                    Memberships.role(row),
                    Rows.time(row, "created_at")));
  }

  /** Returns the memberships that count in the person's session, the oldest first. */
  public List<Member> membershipsIn(String sessionId, String accountId) {
    boolean byProvider =
        storage
            .first(
                "SELECT 1 FROM session WHERE id = :id AND issuer IS NOT NULL", _ -> true, sessionId)
            .isPresent();
    return memberships(accountId, byProvider);
  }

  /**
   * Adds a person with a membership in an organization.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Conflict} when the address has an account
   */
  public void create(Account account, Member member, AuditRecord entry) {
    storage.change(connection -> {
      insert(connection, account);
      Memberships.insert(connection, member);
      return MutationResult.of(true, entry, Change.account(account.id()));
    });
  }

  /**
   * Sets the password and ends all of the person's sessions.
   *
   * @return false when the password version is not the expected one; nothing is written then
   */
  public boolean setPassword(Account changed, long expectedVersion, Instant at, AuditRecord entry) {
    return storage.change(connection -> {
      int found =
          Sql.of(SET_PASSWORD)
              .set("password", changed.password().orElseThrow())
              .set("version", changed.passwordVersion())
              .set("email", changed.email())
              .set("id", changed.id())
              .set("expected", expectedVersion)
              .update(connection);
      if (found == 0) {
        return MutationResult.none(false);
      }
      Sessions.endAll(connection, changed.id(), at);
      return MutationResult.of(true, entry, Change.account(changed.id()));
    });
  }

  /** Sets whether the person operates the service, and ends all of their sessions. */
  public void setOperator(String accountId, boolean operator, Instant at, AuditRecord entry) {
    storage.change(connection -> {
      Sql.of("UPDATE account SET operator = :operator WHERE id = :id", operator, accountId)
          .update(connection);
      Sessions.endAll(connection, accountId, at);
      return MutationResult.of(true, entry, Change.account(accountId));
    });
  }

  /** Appends a record of an event that changed nothing. */
  public void note(AuditRecord entry) {
    storage.change(_ -> MutationResult.of(true, entry));
  }

  /** Returns whether the service has an operator. */
  public boolean hasOperator() {
    return storage.first("SELECT 1 FROM account WHERE operator = 1 LIMIT 1", _ -> true).isPresent();
  }

  /**
   * Adds a person to a transaction.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Conflict} when the address has an account
   */
  public static void insert(Connection connection, Account account) throws SQLException {
    if (Sql.of("SELECT 1 FROM account WHERE email = :email", account.email()).exists(connection)) {
      throw Account.exists();
    }
    Sql.of(INSERT)
        .set("id", account.id())
        .set("email", account.email())
        .set("display_name", account.displayName())
        .set("password", account.password())
        .set("password_version", account.passwordVersion())
        .set("operator", account.operator())
        .set("created_at", account.createdAt())
        .update(connection);
  }

  static Account read(ResultSet row) throws SQLException {
    return new Account(
        row.getString("id"),
        new EmailAddress(row.getString("email")),
        row.getString("display_name"),
        Rows.text(row, "password"),
        row.getLong("password_version"),
        row.getInt("operator") == 1,
        Rows.time(row, "account_created_at"));
  }
}
