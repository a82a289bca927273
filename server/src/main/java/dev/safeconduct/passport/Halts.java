package dev.safeconduct.passport;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The organizations that are halted, held in memory and invalidated by the change feed. Each change
 * is one transaction with its audit record and its notices, and announces {@code halt:<org>}.
 */
public final class Halts {
  private static final String SELECT = "SELECT org, reason, by_operator, since FROM halt";

  private static final String PUT =
      """
      INSERT INTO halt (org, reason, by_operator, since)
      VALUES (:org, :reason, :operator, :since)
          ON CONFLICT (org)
          DO UPDATE SET reason = excluded.reason, by_operator = 1, since = excluded.since
      """;

  /** Writes who is told of a change, in its transaction. */
  interface Notices {
    void insert(Connection connection) throws SQLException;
  }

  private final Storage storage;
  private final Cache<String, Map<OrgId, Halt>> known = Caffeine.newBuilder().build();

  public Halts(Storage storage) {
    this.storage = storage;
    storage
        .changes()
        .listen(change -> {
          if (change.subject().startsWith(Change.HALT)) {
            known.invalidate(Change.HALT);
          }
        });
  }

  /** Returns what stops the organization now: a halt of all organizations, or its own. */
  public Optional<Halt> stopping(OrgId org) {
    return find(Halt.ALL).or(() -> find(org));
  }

  /** Returns the halt of exactly this organization, or of {@link Halt#ALL}. */
  public Optional<Halt> find(OrgId org) {
    return Optional.ofNullable(all().get(org));
  }

  private Map<OrgId, Halt> all() {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    return known.get(
        Change.HALT,
        _ ->
            storage.list(SELECT, Halts::read).stream()
                .collect(Collectors.toUnmodifiableMap(Halt::org, Function.identity())));
  }

  /**
   * Stores the halt. An operator's replaces the organization's own.
   *
   * @return false if the organization is halted already; nothing is written then
   */
  boolean put(Halt halt, Notices notices, AuditRecord entry) {
    return storage.change(connection -> {
      if (!halt.ofAll()) {
        Directory.demand(connection, halt.org());
      }
      Optional<Halt> before = find(connection, halt.org());
      if (before.isPresent() && (before.get().byOperator() || !halt.byOperator())) {
        return MutationResult.none(false);
      }
      Sql.of(PUT, halt.org(), halt.reason(), halt.byOperator() ? 1 : 0, halt.since())
          .update(connection);
      return changed(connection, halt.org(), notices, entry);
    });
  }

  /**
   * Removes the halt.
   *
   * @return false if there is none; nothing is written then
   * @throws dev.safeconduct.error.ProblemException 403 for an operator's halt and another caller
   */
  boolean remove(OrgId org, boolean byOperator, Notices notices, AuditRecord entry) {
    return storage.change(connection -> {
      Optional<Halt> before = find(connection, org);
      if (before.isEmpty()) {
        return MutationResult.none(false);
      }
      if (before.get().byOperator() && !byOperator) {
        throw new Problem.Forbidden(
                "An operator halted the organization; only an operator can resume it.")
            .toException();
      }
      Sql.of("DELETE FROM halt WHERE org = :org", org).update(connection);
      return changed(connection, org, notices, entry);
    });
  }

  /** Removes the halt of an organization that is deleted; returns the subjects that it outdates. */
  static List<String> removeAll(Connection connection, OrgId org) throws SQLException {
    return Sql.of("DELETE FROM halt WHERE org = :org", org).update(connection) == 0
        ? List.of()
        : List.of(Change.halt(org.value()));
  }

  private static MutationResult<Boolean> changed(
      Connection connection, OrgId org, Notices notices, AuditRecord entry) throws SQLException {
    notices.insert(connection);
    return MutationResult.of(true, entry, Change.halt(org.value()));
  }

  private static Optional<Halt> find(Connection connection, OrgId org) throws SQLException {
    return Sql.of(SELECT + " WHERE org = :org", org).first(connection, Halts::read);
  }

  private static Halt read(ResultSet row) throws SQLException {
    return new Halt(
        new OrgId(row.getString("org")),
        row.getString("reason"),
        row.getInt("by_operator") == 1,
        Rows.time(row, "since"));
  }
}
