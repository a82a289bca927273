package dev.safeconduct.access.people;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.identity.Tenant;
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
import java.util.function.Predicate;

/** The members of organizations. Every change ends the sessions it affects. */
public final class Memberships {
  private static final String SELECT =
      "SELECT m.org, m.role, m.by_group, m.created_at AS member_created_at, "
          + Accounts.COLUMNS
          + " FROM member m JOIN account a ON a.id = m.account";

  private static final String ROLE =
      "SELECT role FROM member WHERE org = :org AND account = :account";

  private static final String BY_GROUP = ROLE + " AND by_group = 1";

  private static final String OTHER_OWNER =
      "SELECT 1 FROM member WHERE org = :org AND role = 'owner' AND account <> :account";

  private static final String INSERT = Sql.insert("member", "org, account, role, created_at");

  /** More than get an email: some cannot be reached. */
  private static final int MOST_ADMINISTRATORS = 200;

  private final Storage storage;

  public Memberships(Storage storage) {
    this.storage = storage;
  }

  /**
   * A member with their account.
   *
   * @param byGroup whether a group at the identity provider gave the role
   */
  public record Listed(Member member, Account account, boolean byGroup) {}

  /**
   * A person's membership at the time a change of it is written.
   *
   * @param role empty for a person who is not a member
   * @param otherOwners whether the organization has another owner
   */
  public record Standing(Optional<Role> role, boolean otherOwners) {}

  public Optional<Listed> find(OrgId org, String accountId) {
    return storage.first(
        SELECT + " WHERE m.org = :org AND m.account = :account", Memberships::read, org, accountId);
  }

  /** Returns the organization's members, the oldest first, starting after {@code after}. */
  public List<Listed> list(OrgId org, Optional<String> after, int limit) {
    var where = Where.of(org, "m.org");
    after.ifPresent(place ->
        where.and(
            """
            (m.created_at, m.account) >
            (SELECT created_at, account FROM member WHERE account = :after AND org = :tenant)
            """,
            place));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY m.created_at, m.account LIMIT :limit", limit),
        Memberships::read);
  }

  /** Returns the accounts of the organization's owners, or of all owners, each once. */
  public List<String> owners(Optional<OrgId> org, int limit) {
    Tenant tenant = org.<Tenant>map(Tenant.One::new).orElseGet(Tenant.Everyone::new);
    var where = Where.of(tenant, "org").and("role = :role", Role.OWNER.wire());
    return storage
        .reads()
        .few(
            Sql.of(
                "SELECT DISTINCT account FROM member",
                where,
                "ORDER BY account LIMIT :limit",
                limit),
            row -> row.getString("account"));
  }

  /** Returns owners and admins, the oldest members first, within a transaction. */
  public static List<Account> administrators(Connection connection, OrgId org) throws SQLException {
    return Sql.of(
            SELECT
                + " WHERE m.org = :org AND m.role IN (:owner, :admin)"
                + " ORDER BY m.created_at, m.account LIMIT :limit",
            org,
            Role.OWNER.wire(),
            Role.ADMIN.wire(),
            MOST_ADMINISTRATORS)
        .list(connection, Memberships::read)
        .stream()
        .map(Listed::account)
        .toList();
  }

  /**
   * Adds a member.
   *
   * @param newcomer their account, when it is new
   * @param email the email to them
   * @return false for a person who is already a member; nothing is written then
   * @throws dev.safeconduct.error.ProblemException {@code Conflict} when the address has got an
   *     account meanwhile
   */
  public boolean add(
      Member member, Optional<Account> newcomer, OutboxEntry email, AuditRecord entry) {
    return storage.change(connection -> {
      Directory.demand(connection, member.org());
      if (isMember(connection, member)) {
        return MutationResult.none(false);
      }
      if (newcomer.isPresent()) {
        Accounts.insert(connection, newcomer.get());
      }
      insert(connection, member);
      Outbox.insert(connection, email);
      return MutationResult.of(true, entry, Change.account(member.accountId()));
    });
  }

  /**
   * Changes a member's role.
   *
   * @param allowed whether the change is still allowed, checked within the transaction that writes,
   *     so that no concurrent change is missed; it may throw a problem
   * @return false when it is not allowed
   */
  public boolean changeRole(
      Member before, Role role, Instant at, Predicate<Standing> allowed, AuditRecord entry) {
    return change(
        Sql.of(
            // From now on a person gives the role, and no group.
            "UPDATE member SET role = :role, by_group = 0 WHERE org = :org AND account = :account",
            role.wire(),
            before.org(),
            before.accountId()),
        before,
        at,
        allowed,
        entry);
  }

  /** Records that a person gives the role from now on, and no group; no session ends. */
  public boolean keepRole(Member member, AuditRecord entry) {
    return storage.update(
        Sql.of(
            """
            UPDATE member SET by_group = 0
             WHERE org = :org AND account = :account AND role = :role AND by_group = 1
            """,
            member.org(),
            member.accountId(),
            member.role().wire()),
        entry,
        Change.account(member.accountId()));
  }

  /** Returns whether a group gave the member's role. */
  boolean byGroup(Member member) {
    return storage
        .first(BY_GROUP, row -> row.getString("role"), member.org(), member.accountId())
        .isPresent();
  }

  /**
   * Removes a member.
   *
   * @param allowed as for {@link #changeRole}
   */
  public boolean remove(Member before, Instant at, Predicate<Standing> allowed, AuditRecord entry) {
    return change(
        Sql.of(
            "DELETE FROM member WHERE org = :org AND account = :account",
            before.org(),
            before.accountId()),
        before,
        at,
        allowed,
        entry);
  }

  private boolean change(
      Sql statement, Member before, Instant at, Predicate<Standing> allowed, AuditRecord entry) {
    return storage.change(connection -> {
      var standing =
          new Standing(
              Sql.of(ROLE, before.org(), before.accountId()).first(connection, Memberships::role),
              Sql.of(OTHER_OWNER, before.org(), before.accountId()).exists(connection));
      if (!allowed.test(standing)) {
        return MutationResult.none(false);
      }
      statement.update(connection);
      Sessions.endAll(connection, before.accountId(), before.org(), at);
      return MutationResult.of(true, entry, Change.account(before.accountId()));
    });
  }

  /**
   * Removes all members of an organization that is deleted, or all but one; returns their accounts.
   */
  public static List<String> removeAll(
      Connection connection, OrgId org, Optional<String> kept, Instant at) throws SQLException {
    List<String> accounts =
        Sql.of(
                "SELECT account FROM member WHERE org = :org AND account <> :kept",
                org,
                kept.orElse(""))
            .list(connection, row -> row.getString("account"));
    Sql.of("DELETE FROM member WHERE org = :org AND account <> :kept", org, kept.orElse(""))
        .update(connection);
    for (String account : accounts) {
      Sessions.endAll(connection, account, org, at);
    }
    return accounts;
  }

  /** Returns whether the person is a member there, within a transaction. */
  public static boolean isMember(Connection connection, Member member) throws SQLException {
    return Sql.of(ROLE, member.org(), member.accountId()).exists(connection);
  }

  /** Adds a membership in an organization to a transaction. */
  public static void insert(Connection connection, Member member) throws SQLException {
    Sql.of(INSERT, member.org(), member.accountId(), member.role().wire(), member.since())
        .update(connection);
  }

  static Role role(ResultSet row) throws SQLException {
    String text = row.getString("role");
    return Role.parse(text).orElseThrow(() -> new SQLException("no such role: " + text));
  }

  private static Listed read(ResultSet row) throws SQLException {
    Account account = Accounts.read(row);
    return new Listed(
        new Member(
            new OrgId(row.getString("org")),
            account.id(),
            role(row),
            Rows.time(row, "member_created_at")),
        account,
        row.getInt("by_group") == 1);
  }
}
