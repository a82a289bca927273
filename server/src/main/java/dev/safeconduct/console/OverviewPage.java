package dev.safeconduct.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.safeconduct.audit.CountDecisions;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.audit.DecisionCounts.Counts;
import dev.safeconduct.audit.DecisionCounts.Kind;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Labels;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.TrendChart;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackNodes.Node;
import dev.safeconduct.policy.hosted.PackWatch;
import dev.safeconduct.telemetry.VerifyTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/**
 * The overview: the decisions of a period by time, policy, agent and reason, and the service's
 * health.
 */
public final class OverviewPage {
  private static final int SHOWN = 8;
  private static final int LINES = 15;

  /** Counts of a long period are repeated after so many times the time that they took. */
  private static final int REPEATED_AFTER = 100;

  private static final Duration OLDEST = Duration.ofMinutes(5);

  /** How long a silent node is reported as missing; after that it counts as removed. */
  private static final Duration MISSED = Duration.ofHours(1);

  private static final int MOST_NODES = 5;

  private final DecisionCounts tallies;
  private final CountDecisions count;
  private final DecisionWords words;
  private final BooleanSupplier recording;
  private final Function<Instant, List<Node>> seenSince;
  private final Supplier<Optional<VerifyTimes.Quantiles>> latency;
  private final KnownPacks known;
  private final Cache<Counted, Sums> sums =
      Caffeine.newBuilder()
          .maximumSize(200)
          .expireAfter(Expiry.<Counted, Sums>writing((_, sums) -> sums.fresh()))
          .build();

  /**
   * @param recording whether decisions can be recorded
   * @param seenSince the nodes on the same database seen since a time; empty where there can be
   *     only one
   * @param latency the times of this node's answers since it started
   */
  OverviewPage(
      DecisionCounts tallies,
      CountDecisions count,
      DecisionWords words,
      BooleanSupplier recording,
      Function<Instant, List<Node>> seenSince,
      Supplier<Optional<VerifyTimes.Quantiles>> latency,
      KnownPacks known) {
    this.tallies = tallies;
    this.count = count;
    this.words = words;
    this.recording = recording;
    this.seenSince = seenSince;
    this.latency = latency;
    this.known = known;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(signIn.page("/console", this::overview));
  }

  /** A period to choose: {@code bars} bars of the same length, the last of which is not over. */
  private record Period(String id, String name, Duration bar, int bars) {
    /** Returns the start of the first bar, in milliseconds. */
    long from(Instant now) {
      return Math.floorDiv(now.toEpochMilli(), bar.toMillis()) * bar.toMillis()
          - (bars - 1) * bar.toMillis();
    }

    boolean isHour() {
      return id.equals("1h");
    }
  }

  private static final List<Period> PERIODS =
      List.of(
          new Period("1h", "1 hour", Duration.ofMinutes(1), 60),
          new Period("24h", "24 hours", Duration.ofHours(1), 24),
          new Period("7d", "7 days", Duration.ofDays(1), 7),
          new Period("30d", "30 days", Duration.ofDays(1), 30));

  /** The page; {@code console/overview.jte}. */
  public record Dashboard(
      Layout shell,
      String lead,
      String since,
      List<Range> ranges,
      List<Figure> figures,
      TrendChart chart,
      List<Group> groups,
      boolean watches,
      List<DecisionWords.Line> lines,
      String after,
      List<Health> health,
      boolean empty,
      boolean mayIssue) {}

  /** A period to choose. */
  public record Range(String path, String name, boolean current) {}

  /** A number and its caption. */
  public record Figure(String number, String what) {}

  /** The most frequent policies, agents or reasons; {@code none} is shown instead of no rows. */
  public record Group(String id, String name, String none, List<Row> rows) {}

  /**
   * A policy, an agent or a reason with its decisions.
   *
   * @param detail a code beside the name; empty for none
   * @param allowed empty where only denials count
   * @param share its percentage of the longest row
   */
  public record Row(
      String path, String name, String detail, String allowed, String denied, int share) {}

  private record Counted(OrgId org, Period period) {}

  /**
   * The counts of a period, apart from those by time.
   *
   * @param fresh how long they are shown
   */
  private record Sums(
      DecisionCounts.Names agents,
      List<DecisionCounts.Named> byAgent,
      List<DecisionCounts.Named> byPolicy,
      List<DecisionCounts.Named> byReason,
      Duration fresh) {}

  /** The health of a part of the service. */
  public record Health(boolean well, String name, String text, String link) {
    Health(boolean well, String name, String text) {
      this(well, name, text, "");
    }
  }

  private Response overview(OpenPage page) {
    boolean watches = page.may("GET", "/api/audit");
    if (watches) {
      count.freshen();
    }
    var org = new OrgId(page.org());
    Instant now = page.now();
    Period period =
        PERIODS.stream()
            .filter(each -> each.id().equals(page.query("since").orElse("1h")))
            .findFirst()
            .orElse(PERIODS.getFirst());
    Map<Long, Counts> bars = bars(org, period, now);
    // All numbers of the page are of the same time: agents are not counted by the minute.
    long begin = period.isHour() ? RecentActivity.since(now) : period.from(now);
    Counts total =
        bars.entrySet().stream()
            .filter(bar -> bar.getKey() >= begin)
            .map(Map.Entry::getValue)
            .reduce(Counts.NONE, Counts::plus);
    Sums found =
        period.isHour()
            ? lately(org, now)
            : sums.get(new Counted(org, period), _ -> sums(org, period, now));
    List<JsonObject> records =
        watches
            ? page.get("/api/audit?kind=decision&limit=" + LINES).objects("records")
            : List.of();
    String from = since(period, begin);
    List<Group> groups = groups(page, found, period);
    return page.show(
        "console/overview.jte",
        "Overview",
        shell ->
            new Dashboard(
                shell,
                lead(watches, found, from, records.isEmpty()),
                from,
                PERIODS.stream()
                    .map(each ->
                        new Range("/console?since=" + each.id(), each.name(), each.equals(period)))
                    .toList(),
                List.of(
                    new Figure(Formats.count(total.total()), "decisions since " + from),
                    new Figure(Formats.count(total.allowed()), "allowed"),
                    new Figure(Formats.count(total.denied()), "denied"),
                    new Figure(Formats.count(found.agents().all()), "active agents")),
                chart(bars, now),
                groups,
                watches,
                records.stream().map(record -> words.line(record, now)).toList(),
                records.stream()
                    .findFirst()
                    .flatMap(record -> record.whole("log_index"))
                    .map(String::valueOf)
                    .orElse("0"),
                health(page),
                watches && records.isEmpty(),
                page.may("POST", "/api/passports")));
  }

  /** Returns the decisions by the start of each bar. */
  private Map<Long, Counts> bars(OrgId org, Period period, Instant now) {
    long bar = period.bar().toMillis();
    long from = period.from(now);
    var bars = new TreeMap<Long, Counts>();
    for (int i = 0; i < period.bars(); i++) {
      bars.put(from + i * bar, Counts.NONE);
    }
    tallies
        .buckets(org, period.isHour() ? Kind.MINUTE : Kind.HOUR, from)
        .forEach((at, counts) ->
            bars.computeIfPresent(
                Math.floorDiv(at, bar) * bar, (_, before) -> before.plus(counts)));
    return bars;
  }

  private static TrendChart chart(Map<Long, Counts> bars, Instant now) {
    var counts = new ArrayList<TrendChart.Count>();
    bars.forEach((at, sum) -> counts.add(new TrendChart.Count(at, sum.allowed(), sum.denied())));
    return TrendChart.of(counts, now);
  }

  /** Returns the counts since {@link RecentActivity#since}, at least of the last half hour. */
  private Sums lately(OrgId org, Instant now) {
    long since = RecentActivity.since(now);
    return new Sums(
        tallies.names(org, Kind.AGENT, since),
        tallies.top(org, Kind.AGENT, since, false, SHOWN),
        tallies.top(org, Kind.POLICY, since, false, SHOWN),
        tallies.top(org, Kind.CODE, since, true, SHOWN),
        Duration.ZERO);
  }

  private Sums sums(OrgId org, Period period, Instant now) {
    long started = System.nanoTime();
    long from = period.from(now);
    Kind agents = period.id().equals("24h") ? Kind.AGENT : Kind.AGENT_DAY;
    DecisionCounts.Top byAgent = tallies.topSince(org, agents, from, false, SHOWN);
    DecisionCounts.Top byPolicy = tallies.topSince(org, Kind.POLICY, from, false, SHOWN);
    DecisionCounts.Top byReason = tallies.topSince(org, Kind.CODE, from, true, SHOWN);
    long took = System.nanoTime() - started;
    return new Sums(
        byAgent.names(),
        byAgent.first(),
        byPolicy.first(),
        byReason.first(),
        Duration.ofNanos(Math.min(REPEATED_AFTER * took, OLDEST.toNanos())));
  }

  private static String since(Period period, long from) {
    String at = IsoInstant.seconds(Instant.ofEpochMilli(from));
    return switch (period.id()) {
      case "1h" -> at.substring(11, 16) + " UTC";
      case "24h" -> at.substring(0, 10) + " " + at.substring(11, 16) + " UTC";
      default -> at.substring(0, 10);
    };
  }

  private static String lead(boolean watches, Sums found, String since, boolean empty) {
    if (!watches) {
      return "Your role cannot view decisions.";
    }
    if (empty) {
      return "No decisions yet.";
    }
    DecisionCounts.Names agents = found.agents();
    if (agents.all() == 0) {
      return "No decisions since " + since + ".";
    }
    if (agents.denied() == 0) {
      return "%s active since %s, no denials."
          .formatted(Formats.count(agents.all(), "agent", "agents"), since);
    }
    String top =
        found.byReason().isEmpty()
            ? ""
            : " Top reason: " + lower(Labels.reason(found.byReason().getFirst().name())) + ".";
    return "%s of %s had denials since %s.%s"
        .formatted(
            Formats.count(agents.denied()),
            Formats.count(agents.all(), "active agent", "active agents"),
            since,
            top);
  }

  private static String lower(String text) {
    return text.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + text.substring(1);
  }

  private List<Group> groups(OpenPage page, Sums found, Period period) {
    String since = "&since=" + period.id();
    String list = "/console/decisions?";
    return List.of(
        new Group(
            "policies",
            "By policy",
            "No decisions.",
            rows(
                found.byPolicy(),
                Counts::total,
                id -> list + "policy_id=" + Formats.url(id) + since,
                id -> known.find(page.org(), id).map(PolicyPack::name).orElse(id),
                false)),
        new Group(
            "agents",
            "By agent",
            "No active agents.",
            rows(
                found.byAgent(),
                Counts::total,
                id -> list + "agent_id=" + Formats.url(id) + since,
                id -> {
                  String name = words.agentName(id, page.org());
                  return name.isEmpty() ? Formats.id(id) : name;
                },
                false)),
        new Group(
            "reasons",
            "Denial reasons",
            "No denials.",
            rows(
                found.byReason(),
                Counts::denied,
                id -> list + "allow=false&code=" + Formats.url(id) + since,
                Labels::reason,
                true)));
  }

  private static List<Row> rows(
      List<DecisionCounts.Named> top,
      ToLongFunction<Counts> number,
      UnaryOperator<String> path,
      UnaryOperator<String> name,
      boolean denials) {
    long most = top.stream().map(DecisionCounts.Named::counts).mapToLong(number).max().orElse(1);
    return top.stream()
        .map(each ->
            new Row(
                path.apply(each.name()),
                name.apply(each.name()),
                denials ? each.name() : "",
                denials ? "" : Formats.count(each.counts().allowed()),
                Formats.count(each.counts().denied()),
                (int) (100 * number.applyAsLong(each.counts()) / Math.max(1, most))))
        .toList();
  }

  private List<Health> health(OpenPage page) {
    var health = new ArrayList<Health>();
    boolean records = recording.getAsBoolean();
    health.add(
        new Health(
            records,
            "Decisions",
            records ? "recorded" : "cannot be recorded: every request is denied"));
    latency
        .get()
        .ifPresent(times ->
            health.add(
                new Health(
                    true,
                    "Response time",
                    ("median under %s, 95 %% under %s, 99 %% under %s for %s to this node "
                            + "since it started")
                        .formatted(
                            times.median(),
                            times.most(),
                            times.nearlyAll(),
                            Formats.count(times.requests(), "request", "requests")))));
    health.addAll(nodes(page.now()));
    if (page.may("GET", "/api/audit/checkpoint")) {
      long size = AuditPage.checkpoint(page).size();
      health.add(
          new Health(
              true,
              "Audit log",
              Formats.count(size) + " records under the checkpoint",
              "/console/audit"));
    }
    if (page.may("GET", "/api/webhooks")) {
      health.add(webhooks(page));
    }
    return health;
  }

  private static Health webhooks(OpenPage page) {
    List<JsonObject> hooks = WebhooksPage.all(page, 20);
    long failing =
        hooks.stream()
            .filter(hook -> WebhooksPage.failed(page, hook.text("webhook_id"), 1) > 0)
            .count();
    return new Health(
        failing == 0,
        "Webhooks",
        hooks.isEmpty()
            ? "no endpoints"
            : failing == 0
                ? Formats.count(hooks.size(), "endpoint", "endpoints") + ", no failed deliveries"
                : Formats.count(failing, "endpoint", "endpoints") + " with failed deliveries",
        "/console/webhooks");
  }

  /** Returns one line for all running nodes, and one for each missing node. */
  private List<Health> nodes(Instant now) {
    List<Node> nodes = seenSince.apply(now.minus(MISSED));
    Instant alive = now.minus(PackWatch.ALIVE);
    List<Node> serving = nodes.stream().filter(node -> !node.seenAt().isBefore(alive)).toList();
    var health = new ArrayList<Health>();
    if (!serving.isEmpty()) {
      Instant eldest =
          serving.stream().map(Node::seenAt).min(Comparator.naturalOrder()).orElse(now);
      health.add(
          new Health(
              true,
              "Nodes",
              Formats.count(serving.size(), "node active", "nodes active")
                  + ", last seen within "
                  + Math.max(1, Duration.between(eldest, now).toSeconds() + 1)
                  + " s"));
    }
    nodes.stream()
        .filter(node -> node.seenAt().isBefore(alive))
        .sorted(Comparator.comparing(Node::seenAt).reversed())
        .limit(MOST_NODES)
        .forEach(node ->
            health.add(
                new Health(
                    false,
                    "Node " + Formats.id(node.id()),
                    "last seen "
                        + Math.max(1, Duration.between(node.seenAt(), now).toMinutes())
                        + " min ago; it did not shut down cleanly")));
    return health;
  }
}
