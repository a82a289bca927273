package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.issuance.Claim;
import dev.safeconduct.issuance.Claims;
import dev.safeconduct.issuance.Issuances;
import dev.safeconduct.issuance.NewPassport;
import dev.safeconduct.passport.ClaimedPassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Slug;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Member;
import dev.safeconduct.people.Organization;
import dev.safeconduct.problem.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Claims as rows, and passports that come with one. */
record SqlClaims(Writer writer, Reads reads) implements Claims, Issuances {
  private static final String COLUMNS =
      "id, agent, org, personal, email, display_name, created_at, expires_at, letter, used_at";
  private static final String SELECT = "SELECT " + COLUMNS + " FROM claim";

  @Override
  public Optional<Claim> find(String id) {
    return reads.first(SELECT + " WHERE id = ?", SqlClaims::read, id);
  }

  @Override
  public Optional<Claim> ofAgent(AgentId agent) {
    return reads.first(SELECT + " WHERE agent = ?", SqlClaims::read, agent.value());
  }

  @Override
  public void issue(NewPassport made) {
    Passport passport = made.passport();
    writer.change(connection -> {
      if (made.organization().isPresent()) {
        SqlOrganizations.insert(connection, made.organization().get());
      }
      if (made.heldUntil().isPresent()) {
        hold(connection, passport, made.heldUntil().get());
      }
      SqlPassports.insert(connection, passport);
      var subjects = new ArrayList<>(List.of(SqlPassports.changes(passport)));
      if (made.setupKey().isPresent()) {
        SqlApiKeys.insert(connection, made.setupKey().get());
        subjects.add(Change.key(made.setupKey().get().id()));
      }
      if (made.claim().isPresent()) {
        insert(connection, made.claim().get());
      }
      if (made.letter().isPresent()) {
        SqlOutbox.insert(connection, made.letter().get());
      }
      return new Effect<>(true, made.entries(), subjects);
    });
  }

  /** Takes the slug and its look-alikes, from an unclaimed passport too when its time is over. */
  private static void hold(Connection connection, Passport passport, Instant until)
      throws SQLException {
    String slug = passport.slug().orElseThrow();
    boolean organizations =
        Sql.exists(
            connection,
            "SELECT 1 FROM passport p WHERE p.slug = ? AND NOT EXISTS"
                + " (SELECT 1 FROM slug_hold h WHERE h.agent = p.agent_id OR h.shape = ?)",
            slug,
            Slug.shape(slug));
    int held =
        organizations
            ? 0
            : Sql.update(
                connection,
                "INSERT INTO slug_hold (shape, agent, held_until) VALUES (?, ?, ?)"
                    + " ON CONFLICT (shape) DO UPDATE SET agent = excluded.agent,"
                    + " held_until = excluded.held_until WHERE slug_hold.held_until <= ?",
                Slug.shape(slug),
                passport.agentId().value(),
                until.toEpochMilli(),
                passport.createdAt().toEpochMilli());
    if (held == 0) {
      throw new Problem.Conflict(
              "The slug " + slug + " is taken, or looks like one that is; choose another.",
              "slug_taken")
          .toException();
    }
  }

  private static void insert(Connection connection, Claim claim) throws SQLException {
    Sql.update(
        connection,
        "INSERT INTO claim (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        claim.id(),
        claim.agent().value(),
        claim.org().value(),
        claim.personal() ? 1 : 0,
        claim.email().value(),
        claim.displayName(),
        claim.createdAt().toEpochMilli(),
        claim.expiresAt().toEpochMilli(),
        claim.letter().orElse(null),
        Sql.millis(claim.usedAt()));
  }

  @Override
  public Optional<Claim> renew(String id, String letter, Instant expiresAt, AuditRecord entry) {
    writer.change(connection -> {
      int renewed =
          Sql.update(
              connection,
              "UPDATE claim SET expires_at = ?, letter = ?"
                  + " WHERE id = ? AND used_at IS NULL AND (letter IS NULL OR letter <> ?)",
              expiresAt.toEpochMilli(),
              letter,
              id,
              letter);
      if (renewed == 0) {
        return Effect.none(false);
      }
      Sql.update(
          connection,
          "UPDATE slug_hold SET held_until = ? WHERE held_until < ? AND agent ="
              + " (SELECT agent FROM claim WHERE id = ?)",
          expiresAt.toEpochMilli(),
          expiresAt.toEpochMilli(),
          id);
      return Effect.of(true, entry);
    });
    return find(id).filter(claim -> claim.usedAt().isEmpty());
  }

  @Override
  public Outcome take(
      Claim claim,
      ClaimedPassport passport,
      Optional<Account> newcomer,
      Optional<Organization> organization,
      Optional<Member> place,
      Instant now,
      List<AuditRecord> entries) {
    return writer.change(connection -> {
      if (!Sql.exists(
          connection,
          "SELECT 1 FROM claim WHERE id = ? AND used_at IS NULL AND expires_at = ?",
          claim.id(),
          claim.expiresAt().toEpochMilli())) {
        return Effect.none(Outcome.GONE);
      }
      if (!SqlPassports.replaceIn(connection, passport.after(), passport.before().revision())) {
        return Effect.none(Outcome.STALE);
      }
      int used =
          Sql.update(
              connection,
              "UPDATE claim SET used_at = ? WHERE id = ? AND used_at IS NULL",
              now.toEpochMilli(),
              claim.id());
      if (used != 1) {
        throw new SQLException("a claim was used by two at once");
      }
      Sql.update(
          connection,
          "UPDATE slug_hold SET held_until = NULL WHERE agent = ?",
          claim.agent().value());
      var subjects = new ArrayList<>(List.of(SqlPassports.changes(passport.after())));
      if (newcomer.isPresent()) {
        SqlAccounts.insert(connection, newcomer.get());
      }
      if (organization.isPresent()) {
        SqlOrganizations.insert(connection, organization.get());
      }
      if (place.isPresent() && !isMember(connection, place.get())) {
        SqlAccounts.insert(connection, place.get());
        subjects.add(Change.account(place.get().accountId()));
      }
      return new Effect<>(Outcome.DONE, entries, subjects);
    });
  }

  private static boolean isMember(Connection connection, Member place) throws SQLException {
    return Sql.exists(
        connection,
        "SELECT 1 FROM member WHERE org = ? AND account = ?",
        place.org().value(),
        place.accountId());
  }

  private static Claim read(ResultSet row) throws SQLException {
    return new Claim(
        row.getString("id"),
        new AgentId(row.getString("agent")),
        new OrgId(row.getString("org")),
        row.getInt("personal") == 1,
        new EmailAddress(row.getString("email")),
        row.getString("display_name"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        Instant.ofEpochMilli(row.getLong("expires_at")),
        Optional.ofNullable(row.getString("letter")),
        Sql.instant(row, "used_at"));
  }
}
