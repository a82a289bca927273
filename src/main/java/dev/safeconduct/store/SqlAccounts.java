package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.Member;
import dev.safeconduct.problem.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** People as rows. */
record SqlAccounts(Writer writer, Reads reads) implements Accounts {
  static final String COLUMNS =
      "a.id, a.email, a.display_name, a.password, a.password_version, a.operator,"
          + " a.created_at AS account_created_at";
  private static final String SELECT = "SELECT " + COLUMNS + " FROM account a";

  @Override
  public Optional<Account> find(String id) {
    return reads.first(SELECT + " WHERE a.id = ?", SqlAccounts::read, id);
  }

  @Override
  public Optional<Account> byEmail(EmailAddress email) {
    return reads.first(SELECT + " WHERE a.email = ?", SqlAccounts::read, email.value());
  }

  @Override
  public List<Member> memberships(String accountId) {
    return reads.list(
        "SELECT org, account, role, created_at FROM member WHERE account = ?"
            + " ORDER BY created_at, org",
        row ->
            new Member(
                new OrgId(row.getString(1)),
                row.getString(2),
                role(row.getString(3)),
                Instant.ofEpochMilli(row.getLong(4))),
        List.of(accountId));
  }

  @Override
  public void create(Account account, Member member, AuditRecord entry) {
    writer.change(connection -> {
      insert(connection, account);
      insert(connection, member);
      return Effect.of(true, entry, Change.account(account.id()));
    });
  }

  @Override
  public boolean setPassword(Account changed, long expectedVersion, Instant at, AuditRecord entry) {
    return writer.change(connection -> {
      int found =
          Sql.update(
              connection,
              "UPDATE account SET password = ?, password_version = ?, email = ?"
                  + " WHERE id = ? AND password_version = ?",
              changed.password().orElseThrow(),
              changed.passwordVersion(),
              changed.email().value(),
              changed.id(),
              expectedVersion);
      if (found == 0) {
        return Effect.none(false);
      }
      SqlSessions.endAll(connection, changed.id(), at);
      return Effect.of(true, entry, Change.account(changed.id()));
    });
  }

  @Override
  public void setOperator(String accountId, boolean operator, Instant at, AuditRecord entry) {
    writer.change(connection -> {
      Sql.update(
          connection, "UPDATE account SET operator = ? WHERE id = ?", operator ? 1 : 0, accountId);
      SqlSessions.endAll(connection, accountId, at);
      return Effect.of(true, entry, Change.account(accountId));
    });
  }

  @Override
  public void note(AuditRecord entry) {
    writer.change(_ -> Effect.of(true, entry));
  }

  @Override
  public boolean hasOperator() {
    return reads.first("SELECT 1 FROM account WHERE operator = 1 LIMIT 1", row -> true).isPresent();
  }

  /** Adds a person to a transaction. */
  static void insert(Connection connection, Account account) throws SQLException {
    if (Sql.exists(connection, "SELECT 1 FROM account WHERE email = ?", account.email().value())) {
      throw new Problem.Conflict("The address has an account.", "account_exists").toException();
    }
    Sql.update(
        connection,
        "INSERT INTO account"
            + " (id, email, display_name, password, password_version, operator, created_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?)",
        account.id(),
        account.email().value(),
        account.displayName(),
        account.password().orElse(null),
        account.passwordVersion(),
        account.operator() ? 1 : 0,
        account.createdAt().toEpochMilli());
  }

  /** Adds a place in an organization to a transaction. */
  static void insert(Connection connection, Member member) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO member (org, account, role, created_at) VALUES (?, ?, ?, ?)",
        member.org().value(),
        member.accountId(),
        member.role().wire(),
        member.since().toEpochMilli());
  }

  static Role role(String text) throws SQLException {
    return Role.parse(text).orElseThrow(() -> new SQLException("no such role: " + text));
  }

  static Account read(ResultSet row) throws SQLException {
    return new Account(
        row.getString("id"),
        new EmailAddress(row.getString("email")),
        row.getString("display_name"),
        Optional.ofNullable(row.getString("password")),
        row.getLong("password_version"),
        row.getInt("operator") == 1,
        Instant.ofEpochMilli(row.getLong("account_created_at")));
  }
}
