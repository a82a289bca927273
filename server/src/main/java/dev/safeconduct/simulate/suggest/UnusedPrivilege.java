package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.AgentUse;
import dev.safeconduct.audit.AgentUse.Marked;
import dev.safeconduct.audit.AgentUse.Use;
import dev.safeconduct.db.PeriodicTask;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PolicyCatalog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agents of an organization by the privilege that they do not use. Scores are computed in the
 * background, for agents whose use or passport has changed and when a use falls out of the period.
 */
public final class UnusedPrivilege implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UnusedPrivilege.class);
  private static final Duration EVERY = Duration.ofSeconds(5);

  /** The maximum agents of a transaction; more would delay the transactions queued behind it. */
  private static final int MOST_AGENTS = 50;

  /** A tenth of the time of one processor: a score is about days. */
  private static final int REST = 9;

  /** The maximum agents that a request computes before it reads the list. */
  private static final int MOST_AT_ONCE = 50;

  private static final String PAGE =
      """
      SELECT agent, minus_score FROM unused_privilege u
       WHERE org = :org AND (minus_score, agent) > (:score, :after)
         AND EXISTS (SELECT 1 FROM passport p
                      WHERE p.agent_id = u.agent AND p.org = u.org AND p.status <> 'revoked')
       ORDER BY minus_score, agent LIMIT :limit
      """;

  private static final String DUE =
      """
      SELECT org, agent FROM unused_privilege
       WHERE review_at <= :now ORDER BY review_at LIMIT :limit
      """;

  private static final String WRITE =
      """
      INSERT INTO unused_privilege (org, agent, minus_score, review_at)
      VALUES (:org, :agent, :score, :review)
          ON CONFLICT (org, agent)
          DO UPDATE SET minus_score = excluded.minus_score, review_at = excluded.review_at
      """;

  private final Storage storage;
  private final PrivilegeScore.Measure measure;
  private final InstantSource clock;
  private final ReentrantLock stepping = new ReentrantLock();
  private final PeriodicTask task;

  public UnusedPrivilege(Storage storage, PolicyCatalog packs, InstantSource clock) {
    this.storage = storage;
    this.measure = PrivilegeScore.Measure.of(packs);
    this.clock = clock;
    this.task =
        new PeriodicTask(
            LOG,
            "unused-privilege",
            EVERY,
            this::step,
            REST,
            "unused privilege could not be computed");
  }

  /**
   * An agent of the list, with its score as it is now.
   *
   * @param order its place in the list, by the score when it was last computed
   */
  public record Row(Passport passport, String order, PrivilegeScore score) {
    /** Returns the form of the API. */
    public JsonObject json() {
      JsonObject.Builder json =
          JsonObject.builder()
              .put("agent_id", passport.agentId().value())
              .put("name", passport.name())
              .put("status", passport.status().wire())
              .put("score", score.points())
              .put("granted", score.granted())
              .put("used", score.used());
      score.lastUse().ifPresent(at -> json.put("last_use", IsoInstant.millis(at)));
      return json.put("parts", score.parts(), PrivilegeScore.Part::json).build();
    }
  }

  /**
   * Returns the agents that follow a place in the list, the widest first.
   *
   * @param after the order of a row; empty for the first
   */
  public static List<Row> page(
      Reads reads, PolicyCatalog packs, OrgId org, Optional<String> after, int limit, Instant now) {
    return page(reads, PrivilegeScore.Measure.of(packs), org, after, limit, now);
  }

  /** As the other one, at this time, after computing the scores of a few changed agents. */
  List<Row> page(OrgId org, Optional<String> after, int limit) {
    if (stepping.tryLock()) {
      try {
        boolean _ = step(MOST_AT_ONCE);
      } finally {
        stepping.unlock();
      }
    }
    return page(storage.reads(), measure, org, after, limit, clock.instant());
  }

  private static List<Row> page(
      Reads reads,
      PrivilegeScore.Measure measure,
      OrgId org,
      Optional<String> after,
      int limit,
      Instant now) {
    record Place(String agent, long score) {
      static Place of(String order) {
        String[] parts = order.split("\\.", 2);
        return parts.length == 2 && parts[0].matches("\\d{1,9}")
            ? new Place(parts[1], -Long.parseLong(parts[0]))
            : new Place(order, 0);
      }

      String order() {
        return -score + "." + agent;
      }
    }

    Place from = after.map(Place::of).orElse(new Place("", -Integer.MAX_VALUE));
    var rows = new ArrayList<Row>();
    for (Place place :
        reads.list(
            PAGE,
            row -> new Place(row.getString("agent"), row.getLong("minus_score")),
            org,
            from.score(),
            from.agent(),
            limit)) {
      Passports.find(reads, new AgentId(place.agent()))
          .filter(passport -> counts(passport, org))
          .map(passport ->
              new Row(
                  passport,
                  place.order(),
                  measure.of(passport.document(), AgentUse.of(reads, org, place.agent()), now)))
          .ifPresent(rows::add);
    }
    return rows;
  }

  private static boolean counts(Passport passport, OrgId org) {
    return passport.owner().equals(org) && passport.status() != PassportStatus.REVOKED;
  }

  public void start() {
    task.start();
  }

  /**
   * Computes the scores of some agents.
   *
   * @return whether none is left
   */
  boolean step() {
    stepping.lock();
    try {
      return step(MOST_AGENTS);
    } finally {
      stepping.unlock();
    }
  }

  private boolean step(int most) {
    Instant now = clock.instant();
    var agents = new ArrayList<>(AgentUse.marked(storage.reads(), most));
    agents.addAll(
        storage.list(
            DUE,
            row -> new Marked(new OrgId(row.getString("org")), row.getString("agent"), 0),
            now.toEpochMilli(),
            most - agents.size()));
    if (agents.isEmpty()) {
      return true;
    }
    List<Scored> scored = agents.stream().map(agent -> scored(agent, now)).toList();
    storage.change(connection -> {
      for (Scored each : scored) {
        write(connection, each);
      }
      return MutationResult.none(true);
    });
    return agents.size() < most;
  }

  /** An agent with what is to be written; no score if it has no passport that counts. */
  private record Scored(
      Marked agent,
      Optional<PrivilegeScore> score,
      Optional<String> template,
      Map<String, Use> uses) {}

  private Scored scored(Marked agent, Instant now) {
    Map<String, Use> uses = AgentUse.of(storage.reads(), agent.org(), agent.agent());
    Optional<Passport> passport =
        Passports.find(storage.reads(), new AgentId(agent.agent()))
            .filter(found -> counts(found, agent.org()));
    return new Scored(
        agent,
        passport.map(found -> measure.of(found.document(), uses, now)),
        passport.flatMap(found -> found.document().string("parent_agent_id")),
        uses);
  }

  private static void write(Connection connection, Scored each) throws SQLException {
    Marked agent = each.agent();
    if (each.score().isEmpty()) {
      AgentUse.forget(connection, agent);
      Sql.of(
              "DELETE FROM unused_privilege WHERE org = :org AND agent = :agent",
              agent.org(),
              agent.agent())
          .update(connection);
      return;
    }
    AgentUse.unmark(connection, agent);
    Sql.of(WRITE)
        .set("org", agent.org())
        .set("agent", agent.agent())
        .set("score", -each.score().get().points())
        .set("review", each.score().get().reviewAt().map(Instant::toEpochMilli))
        .update(connection);
    if (agent.mark() > 0 && each.template().isPresent()) {
      AgentUse.addTo(connection, agent, each.template().get(), each.uses());
    }
  }

  /** Deletes what is stored for an organization that is deleted. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM unused_privilege WHERE org = :org", org).update(connection);
    return List.of();
  }

  /** Ends after the current step. */
  @Override
  public void close() {
    task.close();
  }
}
