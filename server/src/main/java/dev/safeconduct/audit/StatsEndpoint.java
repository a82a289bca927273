package dev.safeconduct.audit;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.RecordKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/** The endpoint of allows and denies per agent and outcomes per rule, over time. */
public final class StatsEndpoint {
  private static final Duration DAY = Duration.ofDays(1);
  private static final int MOST_BUCKETS = 1_000;
  private static final int MOST_RECORDS = 500_000;
  private static final int MOST_ROWS = 20_000;

  private final AuditLog log;
  private final InstantSource clock;

  public StatsEndpoint(AuditLog log, InstantSource clock) {
    this.log = log;
    this.clock = clock;
  }

  private record AgentSlot(Instant at, String agent) {}

  private record RuleSlot(Instant at, String policy, String code, String rule) {}

  /** The numbers of allows and denies. */
  private static final class Count {
    private long allowed;
    private long denied;

    private void add(boolean allow) {
      if (allow) {
        allowed++;
      } else {
        denied++;
      }
    }
  }

  private static final class Totals {
    private final Map<AgentSlot, Count> agents =
        new TreeMap<>(Comparator.comparing(AgentSlot::at).thenComparing(AgentSlot::agent));
    private final Map<RuleSlot, Count> rules =
        new TreeMap<>(
            Comparator.comparing(RuleSlot::at)
                .thenComparing(RuleSlot::policy)
                .thenComparing(RuleSlot::code)
                .thenComparing(RuleSlot::rule));
    private long records;

    private void add(RecordedOutcome outcome, Instant at) {
      agents
          .computeIfAbsent(new AgentSlot(at, outcome.agent()), _ -> new Count())
          .add(outcome.allow());
      rules
          .computeIfAbsent(
              new RuleSlot(at, outcome.policyId(), outcome.code(), outcome.rule().orElse("")),
              _ -> new Count())
          .add(outcome.allow());
      records++;
    }

    private boolean isFull() {
      return records > MOST_RECORDS || agents.size() + rules.size() > MOST_ROWS;
    }
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/audit/stats", new Permission.Scoped(Scope.READ_AUDIT), this::answer));
  }

  private Response answer(Request request) {
    return answer(
        request,
        AuditEndpoints.tenant(request),
        request.caller() instanceof Caller.Key key ? key.boundTo() : Optional.empty());
  }

  /**
   * Counts the requested period, or fails. The default is the last day, or as much of its end as
   * can be counted at once.
   */
  private Response answer(Request request, Tenant tenant, Optional<AgentId> boundTo) {
    AuditQuery query = AuditQuery.parse(request::query);
    Instant to = query.filter().to().orElseGet(clock::instant);
    Optional<Instant> asked = query.filter().from();
    if (asked.isPresent() && !asked.get().isBefore(to)) {
      throw ProblemException.invalid("from", "from must be before to.");
    }
    Duration window = asked.map(from -> Duration.between(from, to)).orElse(DAY);
    Duration interval = interval(request.query("interval"), window);
    if (window.dividedBy(interval) > MOST_BUCKETS) {
      if (asked.isPresent()) {
        throw ProblemException.invalid(
            "interval", "There are more than " + MOST_BUCKETS + " intervals.");
      }
      window = interval.multipliedBy(MOST_BUCKETS);
    }
    while (true) {
      Instant from = asked.orElse(to.minus(window));
      var tally = new Totals();
      Optional<Instant> full =
          full(tenant, filter(query.filter(), boundTo, from, to), interval, tally);
      if (full.isEmpty()) {
        return Response.json(shape(tally, from, to, interval));
      }
      if (asked.isPresent()) {
        throw ProblemException.invalid(
            "from", "These are too many decisions at once; ask for less time.");
      }
      window = shorter(window, Duration.between(from, full.get()));
    }
  }

  /** Counts into the tally; returns the time of the decision that exceeded the limit, if any. */
  private Optional<Instant> full(
      Tenant tenant, AuditFilter filter, Duration interval, Totals tally) {
    var last = new AtomicReference<Instant>();
    log.outcomes(
        tenant,
        filter,
        outcome -> {
          tally.add(outcome, start(outcome.at(), interval));
          last.set(outcome.at());
          return !tally.isFull();
        });
    return tally.isFull() ? Optional.of(last.get()) : Optional.empty();
  }

  private static AuditFilter filter(
      AuditFilter asked, Optional<AgentId> boundTo, Instant from, Instant to) {
    return new AuditFilter(
        Optional.of(RecordKind.DECISION),
        boundTo.isPresent() ? boundTo : asked.agent(),
        asked.policyId(),
        asked.allow(),
        asked.code(),
        Optional.of(from),
        Optional.of(to),
        Set.of());
  }

  /**
   * Returns the next window to try: a little less than the counted part of this one, because
   * decisions are often evenly distributed. It is at most half, to limit the number of attempts. It
   * is not too small, because a burst at the beginning does not predict the end.
   */
  private static Duration shorter(Duration window, Duration counted) {
    long half = window.toMillis() / 2;
    if (half == 0) {
      throw ProblemException.invalid(
          "These are too many decisions at once; ask for one agent or policy.");
    }
    long fit = counted.toMillis() / 10 * 9;
    return Duration.ofMillis(Math.clamp(fit, Math.max(1, half / 8), half));
  }

  private static Duration interval(Optional<String> name, Duration window) {
    return switch (name.orElse(window.toDays() >= 3 ? "day" : "hour")) {
      case "minute" -> Duration.ofMinutes(1);
      case "hour" -> Duration.ofHours(1);
      case "day" -> Duration.ofDays(1);
      default ->
          throw ProblemException.invalid("interval", "interval must be minute, hour or day.");
    };
  }

  private static Instant start(Instant at, Duration interval) {
    return Instant.ofEpochMilli(
        Math.floorDiv(at.toEpochMilli(), interval.toMillis()) * interval.toMillis());
  }

  private static JsonObject shape(Totals tally, Instant from, Instant to, Duration interval) {
    List<JsonValue> agents = new ArrayList<>();
    tally.agents.forEach((slot, count) ->
        agents.add(
            JsonObject.builder()
                .put("at", IsoInstant.millis(slot.at()))
                .put("agent_id", slot.agent())
                .put("allowed", count.allowed)
                .put("denied", count.denied)
                .build()));
    List<JsonValue> rules = new ArrayList<>();
    tally.rules.forEach((slot, count) ->
        rules.add(
            JsonObject.builder()
                .put("at", IsoInstant.millis(slot.at()))
                .put("policy_id", slot.policy())
                .put("code", slot.code())
                .putIfPresent("rule", Optional.of(slot.rule()).filter(rule -> !rule.isEmpty()))
                .put("count", count.allowed + count.denied)
                .build()));
    return JsonObject.builder()
        .put("from", IsoInstant.millis(from))
        .put("to", IsoInstant.millis(to))
        .put("interval_seconds", interval.toSeconds())
        .put("decisions", tally.records)
        .put("agents", new JsonArray(agents))
        .put("rules", new JsonArray(rules))
        .put("ok", true)
        .build();
  }
}
