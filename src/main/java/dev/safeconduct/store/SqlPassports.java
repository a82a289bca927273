package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportFilter;
import dev.safeconduct.passport.PassportStatus;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.problem.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Passports as rows, the document beside what is searched for. */
record SqlPassports(Writer writer, Reads reads) implements Passports {
  private static final String SELECT = "SELECT " + PassportRows.COLUMNS + " FROM passport";

  @Override
  public Optional<Passport> find(AgentId id) {
    Optional<Passport> found =
        reads.first(SELECT + " WHERE agent_id = ?", PassportRows::read, id.value());
    return found.isPresent() || !PassportRows.FOLDED.matcher(id.value()).matches()
        ? found
        : reads.first(SELECT + " WHERE alias = ?", PassportRows::read, id.value());
  }

  @Override
  public Optional<Passport> find(Tenant tenant, AgentId id) {
    return find(id).filter(passport -> tenant.sees(passport.owner()));
  }

  @Override
  public Optional<Passport> bySlug(Tenant tenant, String slug) {
    var where = Where.of(tenant, "org").and("slug = ?", slug);
    return reads
        .list(
            SELECT + where.sql() + " ORDER BY created_at, agent_id LIMIT 1",
            PassportRows::read,
            where.parameters())
        .stream()
        .findFirst();
  }

  @Override
  public List<Passport> list(
      Tenant tenant, PassportFilter filter, Optional<AgentId> after, int limit) {
    var where = where(tenant, filter);
    after.ifPresent(place -> {
      var visible = Where.of(tenant, "org").and("agent_id = ?", place.value());
      where.and(
          "(created_at, agent_id) < (SELECT created_at, agent_id FROM passport"
              + visible.sql()
              + ")",
          visible.parameters().toArray());
    });
    return reads.list(
        SELECT + where.sql() + " ORDER BY created_at DESC, agent_id DESC LIMIT ?",
        PassportRows::read,
        where.parameters(limit));
  }

  @Override
  public List<Passport> listed(Optional<AgentId> after, int limit) {
    String place =
        after.isPresent()
            ? " AND (created_at, agent_id) < (SELECT created_at, agent_id FROM passport WHERE"
                + " listed = 1 AND agent_id = ?)"
            : "";
    var parameters = new ArrayList<Object>();
    after.map(AgentId::value).ifPresent(parameters::add);
    parameters.add(limit);
    return reads.list(
        SELECT
            + " WHERE listed = 1 AND status = 'active'"
            + place
            + " ORDER BY created_at DESC, agent_id DESC LIMIT ?",
        PassportRows::read,
        parameters);
  }

  @Override
  public long count(Tenant tenant, PassportFilter filter) {
    var where = where(tenant, filter);
    return reads
        .list(
            "SELECT count(*) FROM passport" + where.sql(),
            row -> row.getLong(1),
            where.parameters())
        .getFirst();
  }

  private static Where where(Tenant tenant, PassportFilter filter) {
    var where = Where.of(tenant, "org");
    filter.status().map(PassportStatus::wire).ifPresent(is -> where.and("status = ?", is));
    filter.framework().ifPresent(name -> where.and("frameworks LIKE ? ESCAPE '!'", line(name)));
    filter.capability().ifPresent(id -> where.and("capabilities LIKE ? ESCAPE '!'", line(id)));
    filter
        .text()
        .map(text -> text.toLowerCase(Locale.ROOT))
        .ifPresent(text -> where.and("search LIKE ? ESCAPE '!'", "%" + literal(text) + "%"));
    return where;
  }

  private static String line(String name) {
    return "%\n" + literal(name) + "\n%";
  }

  private static String literal(String text) {
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
  }

  @Override
  public void create(Passport passport, AuditRecord entry) {
    writer.change(connection -> {
      insert(connection, passport);
      return Effect.of(true, entry, changes(passport));
    });
  }

  /** Adds the passport to a transaction. */
  static void insert(Connection connection, Passport passport) throws SQLException {
    for (String name : names(passport)) {
      if (Sql.exists(
          connection, "SELECT 1 FROM passport WHERE agent_id = ? OR alias = ?", name, name)) {
        throw new Problem.Conflict("There is a passport " + name + ".", "agent_id_taken")
            .toException();
      }
    }
    refuseTakenSlug(connection, passport);
    Sql.update(connection, PassportRows.INSERT, PassportRows.values(passport));
  }

  @Override
  public boolean replace(Passport passport, long expectedRevision, AuditRecord entry) {
    return writer.change(connection ->
        replaceIn(connection, passport, expectedRevision)
            ? Effect.of(true, entry, changes(passport))
            : Effect.none(false));
  }

  /** Replaces the passport within a transaction; false when its revision is another. */
  static boolean replaceIn(Connection connection, Passport passport, long expectedRevision)
      throws SQLException {
    String id = passport.agentId().value();
    if (!Sql.exists(
        connection,
        "SELECT 1 FROM passport WHERE agent_id = ? AND revision = ?",
        id,
        expectedRevision)) {
      return false;
    }
    refuseTakenSlug(connection, passport);
    Sql.update(connection, "DELETE FROM passport WHERE agent_id = ?", id);
    Sql.update(connection, PassportRows.INSERT, PassportRows.values(passport));
    return true;
  }

  /** All ids it is found by: its own and, where that is another, the one of its UUID. */
  private static List<String> names(Passport passport) {
    String id = passport.agentId().value();
    return PassportRows.alias(passport)
        .map(alias -> List.of(id, alias.value()))
        .orElse(List.of(id));
  }

  static String[] changes(Passport passport) {
    return names(passport).stream().map(Change::agent).toArray(String[]::new);
  }

  private static void refuseTakenSlug(Connection connection, Passport passport)
      throws SQLException {
    if (passport.slug().isPresent()
        && Sql.exists(
            connection,
            "SELECT 1 FROM passport WHERE org = ? AND slug = ? AND agent_id <> ?",
            passport.owner().value(),
            passport.slug().get(),
            passport.agentId().value())) {
      throw new Problem.Conflict(
              "The slug " + passport.slug().get() + " is taken; choose another.", "slug_taken")
          .toException();
    }
  }
}
