package dev.safeconduct.passport;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The agents and organizations in observe mode, held in memory and invalidated by the change feed,
 * as {@link Halts} are. Each change is one transaction with its audit record and its event, and
 * announces {@code observe:<org>}.
 */
public final class ObserveModes {
  /** Of one organization; beyond it, the whole organization can be observed. */
  static final int MOST_AGENTS = 1_000;

  /** The agent of a row for every agent of the organization. */
  private static final String EVERY = "*";

  private static final String SELECT =
      "SELECT org, agent, until, money, reason, set_by, since, used FROM observe_mode";

  /** Without those whose end is recorded. */
  private static final String OPEN = "ended = 0";

  private static final String PUT =
      """
      INSERT INTO observe_mode (org, agent, until, money, reason, set_by, since, used, ended)
      VALUES (:org, :agent, :until, :money, :reason, :by, :since, :used, 0)
          ON CONFLICT (org, agent)
          DO UPDATE SET until = excluded.until, money = excluded.money, reason = excluded.reason,
                        set_by = excluded.set_by, since = excluded.since,
                        used = excluded.used, ended = 0
      """;

  private static final String END =
      "UPDATE observe_mode SET ended = 1, until = :until WHERE org = :org AND agent = :agent";

  private static final String FORGET =
      "DELETE FROM observe_mode WHERE org = :org AND ended = 1 AND until <= :before";

  /** Writes the event of a change, in its transaction. */
  interface Notice {
    void insert(Connection connection) throws SQLException;
  }

  private record Of(OrgId org, String agent) {
    static Of of(OrgId org, Optional<AgentId> agent) {
      return new Of(org, agent.map(AgentId::value).orElse(EVERY));
    }
  }

  private final Storage storage;
  private final Cache<String, Map<Of, ObserveMode>> known = Caffeine.newBuilder().build();

  public ObserveModes(Storage storage) {
    this.storage = storage;
    storage
        .changes()
        .listen(change -> {
          if (change.subject().startsWith(Change.OBSERVE)) {
            known.invalidate(Change.OBSERVE);
          }
        });
  }

  /**
   * Returns the mode of exactly this agent or, without one, of the organization; also one whose
   * time is over but whose end is not recorded yet.
   */
  public Optional<ObserveMode> find(OrgId org, Optional<AgentId> agent) {
    return Optional.ofNullable(all().get(Of.of(org, agent)));
  }

  /** Returns the mode by which the agent's decisions are observed now: its own first. */
  public Optional<ObserveMode> applying(OrgId org, AgentId agent, Instant now) {
    Map<Of, ObserveMode> all = all();
    if (all.isEmpty()) {
      return Optional.empty();
    }
    return Optional.ofNullable(all.get(new Of(org, agent.value())))
        .filter(mode -> mode.applies(now))
        .or(() ->
            Optional.ofNullable(all.get(new Of(org, EVERY))).filter(mode -> mode.applies(now)));
  }

  /** Returns the organization's modes that apply now, its own and those of its agents. */
  public List<ObserveMode> applying(OrgId org, Instant now) {
    return all().values().stream()
        .filter(mode -> mode.org().equals(org) && mode.applies(now))
        .toList();
  }

  /** Returns the number of modes that apply now, of all organizations. */
  public long count(Instant now) {
    return all().values().stream().filter(mode -> mode.applies(now)).count();
  }

  /** Returns the modes whose time is over and whose end is not recorded yet. */
  List<ObserveMode> ended(Instant now) {
    return all().values().stream().filter(mode -> !mode.applies(now)).toList();
  }

  private Map<Of, ObserveMode> all() {
    // The loader runs inside the map's entry, so an invalidation waits for it and then removes it.
    return known.get(
        Change.OBSERVE,
        _ -> {
          var all = new HashMap<Of, ObserveMode>();
          storage
              .reads()
              .few(Sql.of(SELECT + " WHERE " + OPEN), ObserveModes::read)
              .forEach(mode -> all.put(Of.of(mode.org(), mode.agent()), mode));
          return Map.copyOf(all);
        });
  }

  /** What a change records: its event, written in its transaction, and its audit record. */
  record Told(Notice notice, AuditRecord entry) {}

  /**
   * Stores the mode in place of the one before, whose time counts unless it ended 30 days ago; the
   * end of one whose time is over is recorded. The modes of an agent and of its organization count
   * apart.
   *
   * @param mode the mode as if it were the first
   * @return the stored mode
   * @throws dev.safeconduct.error.ProblemException 400 if it would last too long
   */
  ObserveMode put(ObserveMode mode, Told begun, Function<ObserveMode, Told> expired) {
    Of key = Of.of(mode.org(), mode.agent());
    return storage.change(connection -> {
      Directory.demand(connection, mode.org());
      Instant now = mode.since();
      Sql.of(FORGET, mode.org(), now.minus(ObserveMode.MOST)).update(connection);
      Optional<ObserveMode> open = open(connection, key);
      Optional<ObserveMode> over = open.filter(one -> !one.applies(now));
      Optional<ObserveMode> before = find(connection, key);
      ObserveMode stored = before.map(mode::after).orElse(mode);
      demandTime(stored, now, before.map(ObserveMode::until).orElse(now));
      if (mode.agent().isPresent()
          && open.isEmpty()
          && agents(connection, mode.org()) >= MOST_AGENTS) {
        throw ProblemException.conflict(
            "At most "
                + MOST_AGENTS
                + " agents of an organization can be observed one by one; observe the"
                + " organization.",
            "too_many_observed");
      }
      Sql.of(
              PUT,
              mode.org(),
              key.agent(),
              mode.until(),
              mode.money() ? 1 : 0,
              mode.reason(),
              mode.by(),
              stored.since(),
              stored.used().toMillis())
          .update(connection);
      var records = new ArrayList<AuditRecord>();
      if (over.isPresent()) {
        Told end = expired.apply(over.get());
        end.notice().insert(connection);
        records.add(end.entry());
      }
      begun.notice().insert(connection);
      records.add(begun.entry());
      return new MutationResult<>(stored, records, List.of(Change.observe(mode.org().value())));
    });
  }

  private static void demandTime(ObserveMode mode, Instant now, Instant ended) {
    if (mode.until().isAfter(mode.latest())) {
      String most =
          "Observe mode lasts at most 30 days, and earlier days count until it has been off for 30"
              + " days: ";
      throw ProblemException.invalid(
          "until",
          now.isBefore(mode.latest())
              ? most + "until can be at most " + IsoInstant.millis(mode.latest()) + "."
              : most
                  + "it can begin again at "
                  + IsoInstant.millis(ended.plus(ObserveMode.MOST))
                  + ".");
    }
  }

  /**
   * Ends the mode; its time counts towards that of the next one.
   *
   * @param over ends it only if its time is over then; empty in any case
   * @return false if there is none; nothing is written then
   */
  boolean end(OrgId org, Optional<AgentId> agent, Optional<Instant> over, Told told) {
    Of key = Of.of(org, agent);
    return storage.change(connection -> {
      Optional<ObserveMode> before = open(connection, key);
      if (before.isEmpty() || over.filter(before.get()::applies).isPresent()) {
        return MutationResult.none(false);
      }
      Instant end = before.get().endAt(told.entry().at());
      Sql.of(END, end, org, key.agent()).update(connection);
      told.notice().insert(connection);
      return MutationResult.of(true, told.entry(), Change.observe(org.value()));
    });
  }

  /** Removes those of an organization that is deleted; returns the subjects that this outdates. */
  static List<String> removeAll(Connection connection, OrgId org) throws SQLException {
    return Sql.of("DELETE FROM observe_mode WHERE org = :org", org).update(connection) == 0
        ? List.of()
        : List.of(Change.observe(org.value()));
  }

  private static Optional<ObserveMode> find(Connection connection, Of key) throws SQLException {
    return Sql.of(SELECT + " WHERE org = :org AND agent = :agent", key.org(), key.agent())
        .first(connection, ObserveModes::read);
  }

  private static Optional<ObserveMode> open(Connection connection, Of key) throws SQLException {
    return Sql.of(
            SELECT + " WHERE org = :org AND agent = :agent AND " + OPEN, key.org(), key.agent())
        .first(connection, ObserveModes::read);
  }

  private static long agents(Connection connection, OrgId org) throws SQLException {
    return Sql.of(
            "SELECT count(*) FROM observe_mode WHERE org = :org AND agent <> '*' AND " + OPEN, org)
        .first(connection, row -> row.getLong(1))
        .orElse(0L);
  }

  private static ObserveMode read(ResultSet row) throws SQLException {
    String agent = row.getString("agent");
    return new ObserveMode(
        new OrgId(row.getString("org")),
        agent.equals(EVERY) ? Optional.empty() : Optional.of(new AgentId(agent)),
        Rows.time(row, "until"),
        row.getInt("money") == 1,
        row.getString("reason"),
        row.getString("set_by"),
        Rows.time(row, "since"),
        Duration.ofMillis(row.getLong("used")));
  }
}
