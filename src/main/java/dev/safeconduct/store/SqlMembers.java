package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Member;
import dev.safeconduct.people.Memberships;
import dev.safeconduct.problem.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Memberships as rows. */
record SqlMembers(Writer writer, Reads reads) implements Memberships {
  private static final String SELECT =
      "SELECT m.org, m.role, m.created_at AS member_created_at, "
          + SqlAccounts.COLUMNS
          + " FROM member m JOIN account a ON a.id = m.account";

  @Override
  public Optional<Listed> find(OrgId org, String accountId) {
    return reads.first(
        SELECT + " WHERE m.org = ? AND m.account = ?", SqlMembers::read, org.value(), accountId);
  }

  @Override
  public List<Listed> list(OrgId org, Optional<String> after, int limit) {
    var where = Where.of(new Tenant.One(org), "m.org");
    after.ifPresent(place ->
        where.and(
            "(m.created_at, m.account) > (SELECT created_at, account FROM member"
                + " WHERE account = ? AND org = ?)",
            place,
            org.value()));
    return reads.list(
        SELECT + where.sql() + " ORDER BY m.created_at, m.account LIMIT ?",
        SqlMembers::read,
        where.parameters(limit));
  }

  @Override
  public void add(
      Member member, Optional<Account> newcomer, OutboxEntry letter, AuditRecord entry) {
    writer.change(connection -> {
      if (newcomer.isPresent()) {
        SqlAccounts.insert(connection, newcomer.get());
      }
      if (holds(connection, member.org(), member.accountId()).isPresent()) {
        throw new Problem.Conflict("This person is a member already.", "member_exists")
            .toException();
      }
      SqlAccounts.insert(connection, member);
      SqlOutbox.insert(connection, letter);
      return Effect.of(true, entry, Change.account(member.accountId()));
    });
  }

  @Override
  public Outcome changeRole(Member before, Role role, Instant at, AuditRecord entry) {
    return writer.change(connection -> {
      Outcome outcome = standing(connection, before, role != Role.OWNER);
      if (outcome != Outcome.DONE) {
        return Effect.none(outcome);
      }
      Sql.update(
          connection,
          "UPDATE member SET role = ? WHERE org = ? AND account = ?",
          role.wire(),
          before.org().value(),
          before.accountId());
      SqlSessions.endAll(connection, before.accountId(), at);
      return Effect.of(outcome, entry, Change.account(before.accountId()));
    });
  }

  @Override
  public Outcome remove(Member before, Instant at, AuditRecord entry) {
    return writer.change(connection -> {
      Outcome outcome = standing(connection, before, true);
      if (outcome != Outcome.DONE) {
        return Effect.none(outcome);
      }
      Sql.update(
          connection,
          "DELETE FROM member WHERE org = ? AND account = ?",
          before.org().value(),
          before.accountId());
      SqlSessions.endAll(connection, before.accountId(), at);
      return Effect.of(outcome, entry, Change.account(before.accountId()));
    });
  }

  /** Whether the change may be made; within the one transaction that writes, so nobody slips by. */
  private static Outcome standing(Connection connection, Member before, boolean losesOwner)
      throws SQLException {
    Optional<Role> role = holds(connection, before.org(), before.accountId());
    if (role.isEmpty()) {
      return Outcome.UNKNOWN;
    }
    if (role.get() != before.role()) {
      return Outcome.OTHER_ROLE;
    }
    boolean another =
        Sql.exists(
            connection,
            "SELECT 1 FROM member WHERE org = ? AND role = ? AND account <> ?",
            before.org().value(),
            Role.OWNER.wire(),
            before.accountId());
    return role.get() == Role.OWNER && losesOwner && !another ? Outcome.LAST_OWNER : Outcome.DONE;
  }

  private static Optional<Role> holds(Connection connection, OrgId org, String accountId)
      throws SQLException {
    return Sql.list(
            connection,
            "SELECT role FROM member WHERE org = ? AND account = ?",
            row -> SqlAccounts.role(row.getString(1)),
            List.of(org.value(), accountId))
        .stream()
        .findFirst();
  }

  private static Listed read(ResultSet row) throws SQLException {
    Account account = SqlAccounts.read(row);
    return new Listed(
        new Member(
            new OrgId(row.getString("org")),
            account.id(),
            SqlAccounts.role(row.getString("role")),
            Instant.ofEpochMilli(row.getLong("member_created_at"))),
        account);
  }
}
