package dev.safeconduct.passport.issue;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Member;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportChange;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.Slug;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Stores claims, and passports that are issued with one. */
public final class Claims {
  private static final String COLUMNS =
      """
      id, agent, org, personal, email, display_name, created_at, expires_at, letter, used_at,
      asked_from, warned_at
      """;

  private static final String SELECT = "SELECT " + COLUMNS + " FROM claim";

  private static final String INSERT = Sql.insert("claim", COLUMNS);

  private static final String SLUG_OF_ORGANIZATION =
      """
      SELECT 1 FROM passport p
       WHERE p.slug = :slug
         AND NOT EXISTS (SELECT 1 FROM slug_hold h WHERE h.agent = p.agent_id OR h.shape = :shape)
      """;

  private static final String HOLD =
      """
      INSERT INTO slug_hold (shape, agent, held_until)
      VALUES (:shape, :agent, :until)
          ON CONFLICT (shape)
          DO UPDATE SET agent = excluded.agent, held_until = excluded.held_until
      """;

  private static final String RENEW =
      """
      UPDATE claim SET expires_at = :expires, letter = :letter
       WHERE id = :id AND used_at IS NULL AND (letter IS NULL OR letter <> :letter)
      """;

  private static final String RENEW_HOLD =
      """
      UPDATE slug_hold SET held_until = :until
       WHERE held_until < :until AND agent = (SELECT agent FROM claim WHERE id = :id)
      """;

  private static final String OWNER = "SELECT 1 FROM member WHERE org = :org AND role = 'owner'";

  private final Storage storage;

  public Claims(Storage storage) {
    this.storage = storage;
  }

  public Optional<Claim> find(String id) {
    return storage.first(SELECT + " WHERE id = :id", Claims::read, id);
  }

  public Optional<Claim> ofAgent(AgentId agent) {
    return storage.first(SELECT + " WHERE agent = :agent", Claims::read, agent);
  }

  /** Returns whether the organization has an owner. */
  boolean isOwned(OrgId org) {
    return storage.first(OWNER, _ -> true, org).isPresent();
  }

  /**
   * Stores everything an issue creates, in one transaction.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Conflict} for a slug that is taken, or
   *     looks like one that is
   */
  public void issue(NewPassport made) {
    Passport passport = made.passport();
    storage.change(connection -> {
      if (made.organization().isPresent()) {
        Organizations.insert(connection, made.organization().get());
      } else {
        Directory.demand(connection, passport.owner());
      }
      if (made.heldUntil().isPresent()) {
        hold(connection, passport, made.heldUntil().get());
      }
      Passports.insert(connection, passport);
      var subjects = new ArrayList<>(List.of(Passports.changes(passport)));
      if (made.setupKey().isPresent()) {
        ApiKeys.insert(connection, made.setupKey().get());
        subjects.add(Change.key(made.setupKey().get().id()));
      }
      if (made.claim().isPresent()) {
        insert(connection, made.claim().get());
      }
      if (made.claimEmail().isPresent()) {
        Outbox.insert(connection, made.claimEmail().get());
      }
      return new MutationResult<>(true, made.entries(), subjects);
    });
  }

  /**
   * Reserves the slug and its look-alikes. No other transaction can reserve it between the check
   * and the insert.
   */
  private static void hold(Connection connection, Passport passport, Instant until)
      throws SQLException {
    String slug = passport.slug().orElseThrow();
    String shape = Slug.shape(slug);
    // The hold of a claimed passport has no end; that of another one ends.
    boolean held =
        Sql.of(
                """
                SELECT 1 FROM slug_hold
                 WHERE shape = :shape AND (held_until IS NULL OR held_until > :now)
                """,
                shape,
                passport.createdAt())
            .exists(connection);
    if (held || Sql.of(SLUG_OF_ORGANIZATION, slug, shape).exists(connection)) {
      throw ProblemException.conflict(
          "The slug " + slug + " is taken, or looks like one that is; choose another.",
          "slug_taken");
    }
    Sql.of(HOLD, shape, passport.agentId(), until).update(connection);
  }

  private static void insert(Connection connection, Claim claim) throws SQLException {
    Sql.of(INSERT)
        .set("id", claim.id())
        .set("agent", claim.agent())
        .set("org", claim.org())
        .set("personal", claim.personal())
        .set("email", claim.email())
        .set("display_name", claim.displayName())
        .set("created_at", claim.createdAt())
        .set("expires_at", claim.expiresAt())
        .set("letter", claim.lastEntry())
        .set("used_at", claim.usedAt())
        .set("asked_from", claim.askedFrom())
        .set("warned_at", claim.warnedAt())
        .update(connection);
  }

  /**
   * Renews the link of the claim, unless this outbox entry already has; earlier links become
   * invalid.
   *
   * @return the current claim; empty if it has been used
   */
  public Optional<Claim> renew(String id, String entryId, Instant expiresAt, AuditRecord entry) {
    storage.change(connection -> {
      if (Sql.of(RENEW, expiresAt, entryId, id).update(connection) == 0) {
        return MutationResult.none(false);
      }
      Sql.of(RENEW_HOLD, expiresAt, id).update(connection);
      return MutationResult.of(true, entry);
    });
    return find(id).filter(claim -> claim.usedAt().isEmpty());
  }

  /** The result of taking or ending a claim. */
  public enum Outcome {
    DONE,
    /** The claim is used, renewed, expired or deleted. */
    GONE,
    /** The passport or its organization has changed in the meantime; retry with the current one. */
    STALE
  }

  /**
   * Uses the claim and changes the passport in one transaction. Of any number of concurrent
   * attempts, on any node, one succeeds.
   *
   * @param newcomer the claimer's account, if it must be created
   * @param organization the claimer's own organization, if one must be created
   * @param place the organization in which the claimer becomes an owner, if it has none; an
   *     existing membership is unchanged
   * @throws dev.safeconduct.error.ProblemException {@code Conflict} if the email address has
   *     received an account in the meantime
   */
  public Outcome take(
      Claim claim,
      PassportChange passport,
      Optional<Account> newcomer,
      Optional<Organization> organization,
      Optional<Member> place,
      Instant now,
      List<AuditRecord> entries) {
    return storage.change(connection -> {
      if (!Sql.of(
              "SELECT 1 FROM claim WHERE id = :id AND used_at IS NULL AND expires_at = :expires",
              claim.id(),
              claim.expiresAt())
          .exists(connection)) {
        return MutationResult.none(Outcome.GONE);
      }
      if (place.isPresent() && Sql.of(OWNER, place.get().org()).exists(connection)) {
        return MutationResult.none(Outcome.STALE);
      }
      if (!Passports.replace(connection, passport.after(), passport.before().revision())) {
        return MutationResult.none(Outcome.STALE);
      }
      Sql.of("UPDATE claim SET used_at = :now, asked_from = NULL WHERE id = :id", now, claim.id())
          .update(connection);
      Sql.of("UPDATE slug_hold SET held_until = NULL WHERE agent = :agent", claim.agent())
          .update(connection);
      var subjects = new ArrayList<>(List.of(Passports.changes(passport.after())));
      if (newcomer.isPresent()) {
        Accounts.insert(connection, newcomer.get());
      }
      if (organization.isPresent()) {
        Organizations.insert(connection, organization.get());
      }
      if (place.isPresent() && !Memberships.isMember(connection, place.get())) {
        Memberships.insert(connection, place.get());
        subjects.add(Change.account(place.get().accountId()));
      }
      return new MutationResult<>(Outcome.DONE, entries, subjects);
    });
  }

  /**
   * Returns unused claims of passports that were issued without an account before the time, oldest
   * first, starting after {@code after}. Those whose organization an operator gave a member have an
   * owner already.
   */
  List<Claim> unclaimed(Instant before, Optional<Claim> after, int limit) {
    var where =
        Where.of(new Tenant.Everyone(), "org")
            .and("used_at IS NULL AND personal = 1")
            .and("NOT EXISTS (SELECT 1 FROM member WHERE member.org = claim.org)")
            .and("created_at <= :before", before);
    after.ifPresent(
        last -> where.and("(created_at, id) > (:last_at, :last_id)", last.createdAt(), last.id()));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at, id LIMIT :limit", limit), Claims::read);
  }

  /**
   * Notes that the human is told of the end, with the email to them.
   *
   * @return false if they were told already, or the claim has been used
   */
  boolean warn(Claim claim, Instant now, OutboxEntry email) {
    return storage.change(connection -> {
      boolean first =
          Sql.of(
                      """
                      UPDATE claim SET warned_at = :now
                       WHERE id = :id AND used_at IS NULL AND warned_at IS NULL
                      """,
                      now,
                      claim.id())
                  .update(connection)
              == 1;
      if (first) {
        Outbox.insert(connection, email);
      }
      return MutationResult.none(first);
    });
  }

  /**
   * Deletes an unused claim of a passport that was issued without an account, frees the slug, and
   * revokes the passport and its keys, in one transaction: all of the organization made for it,
   * unless that has members, who may have made others.
   *
   * @param revoked the passport; empty if it is revoked already
   * @param keyRevoked makes the record of a key that is revoked
   * @param emailed adds the emails about it to the transaction
   */
  Outcome end(
      Claim claim,
      Optional<PassportChange> revoked,
      Instant now,
      Function<ApiKey, AuditRecord> keyRevoked,
      UnaryOperator<Mutation<Outcome>> emailed) {
    return storage.change(
        emailed.apply(connection -> {
          if (!Sql.of(
                  "SELECT 1 FROM claim WHERE id = :id AND used_at IS NULL AND personal = 1",
                  claim.id())
              .exists(connection)) {
            return MutationResult.none(Outcome.GONE);
          }
          var subjects = new ArrayList<String>();
          var entries = new ArrayList<AuditRecord>();
          if (revoked.isPresent()) {
            Passport after = revoked.get().after();
            if (!Passports.replace(connection, after, revoked.get().before().revision())) {
              return MutationResult.none(Outcome.STALE);
            }
            subjects.addAll(List.of(Passports.changes(after)));
            entries.add(revoked.get().entry());
          }
          Sql.of("DELETE FROM claim WHERE id = :id", claim.id()).update(connection);
          Sql.of("UPDATE slug_hold SET held_until = :now WHERE agent = :agent", now, claim.agent())
              .update(connection);
          for (ApiKey key : ApiKeys.revokeUnowned(connection, claim.org(), claim.agent(), now)) {
            entries.add(keyRevoked.apply(key));
            subjects.add(Change.key(key.id()));
          }
          return new MutationResult<>(Outcome.DONE, entries, subjects);
        }));
  }

  /** Deletes all claims of an organization that is deleted; nothing depends on them. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM claim WHERE org = :org", org).update(connection);
    return List.of();
  }

  private static Claim read(ResultSet row) throws SQLException {
    return new Claim(
        row.getString("id"),
        new AgentId(row.getString("agent")),
        new OrgId(row.getString("org")),
        row.getInt("personal") == 1,
        new EmailAddress(row.getString("email")),
        row.getString("display_name"),
        Rows.time(row, "created_at"),
        Rows.time(row, "expires_at"),
        Rows.text(row, "letter"),
        Rows.optionalTime(row, "used_at"),
        Rows.text(row, "asked_from"),
        Rows.optionalTime(row, "warned_at"));
  }

  /**
   * The objects created when a passport is issued with a claim or without an account.
   *
   * @param organization the organization created for the passport
   * @param heldUntil until when the slug and its look-alikes are reserved against issuing without
   *     an account; absent for a slug that an organization chose
   * @param entries the audit records of all changes
   */
  public record NewPassport(
      Optional<Organization> organization,
      Passport passport,
      Optional<ApiKey> setupKey,
      Optional<Claim> claim,
      Optional<OutboxEntry> claimEmail,
      Optional<Instant> heldUntil,
      List<AuditRecord> entries) {
    public NewPassport {
      entries = List.copyOf(entries);
    }
  }
}
