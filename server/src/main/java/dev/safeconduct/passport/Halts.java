package dev.safeconduct.passport;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.error.ProblemException;
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
import java.util.stream.Collectors;

/**
 * The organizations that are halted, held in memory and invalidated by the change feed. Each change
 * is one transaction with its audit record and its notices, and announces {@code halt:<org>}.
 */
public final class Halts {
  private static final String SELECT = "SELECT org, reason, by_operator, since FROM halt";

  private static final String ORDER = " ORDER BY by_operator DESC";

  private static final String PUT =
      """
      INSERT INTO halt (org, reason, by_operator, since)
      VALUES (:org, :reason, :operator, :since)
          ON CONFLICT (org, by_operator) DO NOTHING
      """;

  /** Writes who is told of a change, in its transaction. */
  interface Notices {
    /**
     * Writes them.
     *
     * @param left the halts that stay when one ends, of every organization
     * @return the record of the change
     */
    AuditRecord insert(Connection connection, List<Halt> left) throws SQLException;
  }

  private final Storage storage;
  private final Cache<String, Map<OrgId, List<Halt>>> known = Caffeine.newBuilder().build();

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

  /** Returns what stops the organization now: a halt of all organizations, or one of its own. */
  public Optional<Halt> stopping(OrgId org) {
    List<Halt> ofAll = of(Halt.ALL);
    List<Halt> halts = ofAll.isEmpty() ? of(org) : ofAll;
    return halts.isEmpty() ? Optional.empty() : Optional.of(halts.getFirst());
  }

  /**
   * Returns the halts of exactly this organization, or of {@link Halt#ALL}; an operator's first.
   */
  public List<Halt> of(OrgId org) {
    return all().getOrDefault(org, List.of());
  }

  private Map<OrgId, List<Halt>> all() {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    return known.get(
        Change.HALT,
        _ ->
            storage.reads().few(Sql.of(SELECT + ORDER), Halts::read).stream()
                .collect(Collectors.groupingBy(Halt::org)));
  }

  /**
   * Stores the halt. An operator's and the organization's own are independent of each other.
   *
   * @return false if the organization is halted by the same already; nothing is written then
   */
  boolean put(Halt halt, Notices notices) {
    return storage.change(connection -> {
      if (!halt.ofAll()) {
        Directory.demand(connection, halt.org());
      }
      boolean first =
          Sql.of(PUT, halt.org(), halt.reason(), halt.byOperator() ? 1 : 0, halt.since())
                  .update(connection)
              == 1;
      return first
          ? changed(connection, halt.org(), List.of(), notices)
          : MutationResult.none(false);
    });
  }

  /**
   * Removes an operator's halt, or the organization's own.
   *
   * @param operator whether an operator removes it
   * @return false if there is no such halt; nothing is written then
   * @throws dev.safeconduct.error.ProblemException 403 when there is only an operator's halt and
   *     the caller is not an operator
   */
  boolean remove(OrgId org, boolean byOperator, boolean operator, Notices notices) {
    return storage.change(connection -> {
      boolean ended =
          Sql.of(
                      "DELETE FROM halt WHERE org = :org AND by_operator = :operator",
                      org,
                      byOperator ? 1 : 0)
                  .update(connection)
              == 1;
      List<Halt> left = Sql.of(SELECT).list(connection, Halts::read);
      if (ended) {
        return changed(connection, org, left, notices);
      }
      if (!operator && left.stream().anyMatch(halt -> halt.org().equals(org))) {
        throw ProblemException.forbidden(
            "An operator halted the organization; only an operator can resume it.");
      }
      return MutationResult.none(false);
    });
  }

  /** Removes the halt of an organization that is deleted; returns the subjects that it outdates. */
  static List<String> removeAll(Connection connection, OrgId org) throws SQLException {
    return Sql.of("DELETE FROM halt WHERE org = :org", org).update(connection) == 0
        ? List.of()
        : List.of(Change.halt(org.value()));
  }

  private static MutationResult<Boolean> changed(
      Connection connection, OrgId org, List<Halt> left, Notices notices) throws SQLException {
    return MutationResult.of(true, notices.insert(connection, left), Change.halt(org.value()));
  }

  private static Halt read(ResultSet row) throws SQLException {
    return new Halt(
        new OrgId(row.getString("org")),
        row.getString("reason"),
        row.getInt("by_operator") == 1,
        Rows.time(row, "since"));
  }
}
