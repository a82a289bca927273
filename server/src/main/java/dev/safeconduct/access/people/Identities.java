package dev.safeconduct.access.people;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.db.Sql;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Role;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** The accounts of a provider's subjects, and the roles that their groups give. */
public final class Identities {
  private static final String FIND =
      "SELECT account FROM identity WHERE issuer = :issuer AND subject = :subject";

  private static final String OTHER_SUBJECT =
      "SELECT 1 FROM identity WHERE issuer = :issuer AND account = :account";

  private static final String SET_EMAIL =
      """
      UPDATE account SET email = :email, password_version = password_version + 1
       WHERE id = :id AND email <> :email
         AND NOT EXISTS (SELECT 1 FROM account other WHERE other.email = :email)
      """;

  private static final String GUARDED =
      """
      SELECT 1 FROM account
       WHERE id = :id AND operator = 1
         AND (password IS NOT NULL OR EXISTS (SELECT 1 FROM passkey WHERE account = :id))
      """;

  private static final String CLEAR_PASSWORD =
      """
      UPDATE account SET password = NULL, password_version = password_version + 1 WHERE id = :id
      """;

  private static final String SET_ROLE =
      "UPDATE member SET role = :role WHERE org = :org AND account = :account";

  private static final String REMOVE = "DELETE FROM member WHERE org = :org AND account = :account";

  private static final String HELD =
      """
      SELECT org, role, by_group FROM member
       WHERE account = :account
       ORDER BY created_at, org
      """;

  private final Storage storage;
  private final Runnable mailWaits;

  /**
   * @param mailWaits tells the sender of emails that one waits
   */
  public Identities(Storage storage, Runnable mailWaits) {
    this.storage = storage;
    this.mailWaits = mailWaits;
  }

  /**
   * A sign-in at the provider.
   *
   * @param fresh the account to create for a person without one
   * @param wanted the roles that the groups give, all in organizations that exist
   * @param before the account of the session that the browser already has
   * @param first the organization whose log records changes of people without a membership
   */
  record Attempt(
      Account fresh,
      Map<OrgId, Role> wanted,
      Optional<String> before,
      Optional<OrgId> first,
      Instant now) {}

  /** A change that a sign-in makes; {@code role} is empty for a change of the account itself. */
  record Step(String change, String accountId, Optional<Role> role) {}

  private record Held(OrgId org, Role role, boolean byGroup) {}

  /** Returns whether the name was not used before; it can be used again after {@code until}. */
  boolean useOnce(String name, Instant now, Instant until) {
    return useOnce(name, now, until, _ -> MutationResult.none(true));
  }

  /**
   * Makes the change if the name was not used before, in one transaction: after a fault the name
   * can be used again.
   *
   * @return what the change returns; false when the name was used before
   */
  boolean useOnce(String name, Instant now, Instant until, Mutation<Boolean> change) {
    return storage.change(connection ->
        acceptOnce(connection, name, now, until)
            ? change.apply(connection)
            : MutationResult.none(false));
  }

  /** Returns whether the name was not used before, within the transaction that uses it. */
  static boolean acceptOnce(Connection connection, String name, Instant now, Instant until)
      throws SQLException {
    Sql.of("DELETE FROM accepted_once WHERE until <= :now", now).update(connection);
    return Sql.of(
                """
                INSERT INTO accepted_once (name, until) VALUES (:name, :until)
                ON CONFLICT (name) DO NOTHING
                """,
                name,
                until)
            .update(connection)
        == 1;
  }

  /**
   * Stores what the provider says: finds, links or creates the account, and gives and takes the
   * memberships that its groups manage.
   *
   * @param records writes the record of a step in an organization
   * @return the account; empty for a person without an account and without a role
   * @throws dev.safeconduct.error.ProblemException {@code Forbidden} for the address of an operator
   *     who has a password or passkey and no session in this browser
   */
  Optional<String> settle(
      ProviderIdentity identity, Attempt attempt, BiFunction<OrgId, Step, AuditRecord> records) {
    Account fresh = attempt.fresh();
    Instant now = attempt.now();
    Optional<String> settled =
        storage.change(connection -> {
          Map<OrgId, Role> wanted = existing(connection, attempt.wanted());
          var steps = new ArrayList<Step>();
          Optional<String> found = find(connection, identity, attempt, steps);
          if (found.isEmpty() && wanted.isEmpty()) {
            return MutationResult.none(Optional.empty());
          }
          String account = found.orElse(fresh.id());
          if (found.isEmpty()) {
            create(connection, identity, fresh);
            steps.add(new Step("account_created", account, Optional.empty()));
          }
          if (!steps.isEmpty()) {
            link(connection, identity, account, now);
          }
          if (identity.email().isPresent() && rename(connection, account, identity.email().get())) {
            steps.add(new Step("email_changed", account, Optional.empty()));
          }
          Map<OrgId, Held> held = held(connection, account);
          var entries = new ArrayList<AuditRecord>();
          // Any organization can add an operator.
          Optional<OrgId> place =
              Sql.of("SELECT 1 FROM account WHERE id = :id AND operator = 1", account)
                      .exists(connection)
                  ? attempt.first()
                  : Optional.empty();
          place =
              place
                  .or(() -> held.keySet().stream().findFirst())
                  .or(() -> wanted.keySet().stream().findFirst())
                  .or(attempt::first);
          place.ifPresent(org -> steps.forEach(step -> entries.add(records.apply(org, step))));
          boolean less = roles(connection, account, held, wanted, now, records, entries);
          if (less) {
            Sessions.endAll(connection, account, now);
          }
          return new MutationResult<>(
              Optional.of(account),
              entries,
              steps.isEmpty() && entries.isEmpty() ? List.of() : List.of(Change.account(account)));
        });
    mailWaits.run();
    return settled;
  }

  /** Returns the roles without those in organizations that have been deleted since. */
  private static Map<OrgId, Role> existing(Connection connection, Map<OrgId, Role> wanted)
      throws SQLException {
    var existing = new LinkedHashMap<OrgId, Role>();
    for (Map.Entry<OrgId, Role> each : wanted.entrySet()) {
      if (Directory.knows(connection, each.getKey())) {
        existing.put(each.getKey(), each.getValue());
      }
    }
    return existing;
  }

  /**
   * Finds the subject's account. A verified address leads to the account that has it, unless that
   * account belongs to another subject: addresses are given to new people, subjects are not. Even
   * so the address may have a new owner, so the password, its links, the passkeys and all sessions
   * of the account end, and an operator with a password or passkey has to sign in with it first.
   */
  private static Optional<String> find(
      Connection connection, ProviderIdentity identity, Attempt attempt, List<Step> steps)
      throws SQLException {
    Optional<String> known =
        Sql.of(FIND, identity.issuer(), identity.subject())
            .first(connection, row -> row.getString("account"));
    if (known.isPresent() || identity.email().isEmpty()) {
      return known;
    }
    Optional<String> named =
        Sql.of("SELECT id FROM account WHERE email = :email", identity.email().get())
            .first(connection, row -> row.getString("id"));
    if (named.isEmpty()
        || identity.email().get().equals(Account.NAMELESS)
        || Sql.of(OTHER_SUBJECT, identity.issuer(), named.get()).exists(connection)) {
      return Optional.empty();
    }
    if (!attempt.before().equals(named) && Sql.of(GUARDED, named.get()).exists(connection)) {
      throw ProblemException.forbidden(
          "The account with your email address operates this service and has a password or a"
              + " passkey. Sign in with it first, then continue to the provider under \"Your"
              + " account\".");
    }
    Sql.of(CLEAR_PASSWORD, named.get()).update(connection);
    // Whoever set that password may have registered the passkeys.
    SecondFactors.clear(connection, named.get());
    Sessions.endAll(connection, named.get(), attempt.now());
    steps.add(new Step(AccountEmails.LINKED, named.get(), Optional.empty()));
    Outbox.insert(
        connection,
        OutboxEntry.of(
            "mail_" + attempt.fresh().id(), AccountEmails.LINKED, named.get(), attempt.now()));
    return named;
  }

  private static void create(Connection connection, ProviderIdentity identity, Account fresh)
      throws SQLException {
    boolean free =
        identity.email().isPresent()
            && !Sql.of("SELECT 1 FROM account WHERE email = :email", identity.email().get())
                .exists(connection);
    Accounts.insert(connection, free ? fresh.withEmail(identity.email().get()) : fresh);
  }

  private static void link(
      Connection connection, ProviderIdentity identity, String account, Instant now)
      throws SQLException {
    Sql.of(Sql.insert("identity", "issuer, subject, account, created_at"))
        .set("issuer", identity.issuer())
        .set("subject", identity.subject())
        .set("account", account)
        .set("created_at", now)
        .update(connection);
  }

  /** Follows the provider's address, which also ends the links that went to the former one. */
  private static boolean rename(Connection connection, String account, EmailAddress email)
      throws SQLException {
    return Sql.of(SET_EMAIL).set("email", email).set("id", account).update(connection) == 1;
  }

  private static Map<OrgId, Held> held(Connection connection, String account) throws SQLException {
    var held = new LinkedHashMap<OrgId, Held>();
    List<Held> found =
        Sql.of(HELD, account)
            .list(
                connection,
                row ->
                    new Held(
                        new OrgId(row.getString("org")),
                        Memberships.role(row),
                        row.getInt("by_group") == 1));
    found.forEach(each -> held.put(each.org(), each));
    return held;
  }

  /** Returns whether a role was changed or taken away. A role that a person gave stays. */
  private static boolean roles(
      Connection connection,
      String account,
      Map<OrgId, Held> held,
      Map<OrgId, Role> wanted,
      Instant now,
      BiFunction<OrgId, Step, AuditRecord> records,
      List<AuditRecord> entries)
      throws SQLException {
    boolean less = false;
    for (Map.Entry<OrgId, Role> each : wanted.entrySet()) {
      OrgId org = each.getKey();
      Role role = each.getValue();
      Held before = held.get(org);
      if (before == null) {
        Sql.of(Sql.insert("member", "org, account, role, created_at, by_group"))
            .set("org", org)
            .set("account", account)
            .set("role", role.wire())
            .set("created_at", now)
            .set("by_group", true)
            .update(connection);
        entries.add(records.apply(org, new Step("member_added", account, Optional.of(role))));
      } else if (before.byGroup() && before.role() != role) {
        Sql.of(SET_ROLE, role.wire(), org, account).update(connection);
        entries.add(records.apply(org, new Step("role_changed", account, Optional.of(role))));
        less = true;
      }
    }
    for (Map.Entry<OrgId, Held> each : held.entrySet()) {
      if (each.getValue().byGroup() && !wanted.containsKey(each.getKey())) {
        Sql.of(REMOVE, each.getKey(), account).update(connection);
        var step = new Step("member_removed", account, Optional.of(each.getValue().role()));
        entries.add(records.apply(each.getKey(), step));
        less = true;
      }
    }
    return less;
  }
}
