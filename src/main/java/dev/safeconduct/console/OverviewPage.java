package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.tally.CountDecisions;
import dev.safeconduct.tally.Tallies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The overview: which agents act, what was denied and why, and whether all is well. */
public final class OverviewPage {
  private static final int REASONS = 6;
  private static final int AGENTS = 8;
  private static final int LINES = 15;

  private final DoorPage door;
  private final Tallies tallies;
  private final CountDecisions count;
  private final DecisionWords words;
  private final BooleanSupplier recording;
  private final NodeHealth nodes;

  /**
   * @param recording whether decisions can be recorded
   */
  OverviewPage(
      DoorPage door,
      Tallies tallies,
      CountDecisions count,
      DecisionWords words,
      BooleanSupplier recording,
      NodeHealth nodes) {
    this.door = door;
    this.tallies = tallies;
    this.count = count;
    this.words = words;
    this.recording = recording;
    this.nodes = nodes;
  }

  List<Route> routes() {
    return List.of(door.page("/console", this::overview));
  }

  /** The page; {@code console/overview.jte}. */
  public record View(
      Shell shell,
      String lead,
      String since,
      List<Figure> figures,
      Chart chart,
      List<Reason> reasons,
      List<Agent> agents,
      boolean watches,
      List<DecisionWords.Line> lines,
      String after,
      List<Health> health,
      boolean empty,
      boolean mayIssue) {
    public View {
      figures = List.copyOf(figures);
      reasons = List.copyOf(reasons);
      agents = List.copyOf(agents);
      lines = List.copyOf(lines);
      health = List.copyOf(health);
    }
  }

  /** A number and what it counts. */
  public record Figure(String number, String what) {}

  /** Why things were denied; {@code share} is of all denies, in percent. */
  public record Reason(String code, String words, String count, int share) {}

  /** An agent with what it did. */
  public record Agent(String path, String name, String id, String allowed, String denied) {}

  /** Whether a part of the service does its work. */
  public record Health(boolean well, String name, String text, String link) {}

  private Response overview(OpenPage page) {
    boolean watches = page.may("GET", "/api/audit");
    if (watches) {
      count.freshen();
    }
    var org = new OrgId(page.org());
    Instant now = page.now();
    long since = RecentActivity.since(now);
    Map<Long, Tallies.Counts> minutes =
        tallies.buckets(
            org,
            Tallies.Kind.MINUTE,
            Tallies.Kind.MINUTE.lately(now.minus(Duration.ofMinutes(59)).toEpochMilli()));
    Tallies.Counts hour =
        minutes.values().stream().reduce(Tallies.Counts.NONE, Tallies.Counts::plus);
    Tallies.Names agents = tallies.names(org, Tallies.Kind.AGENT, since);
    List<Reason> reasons = reasons(org, since);
    List<JsonObject> records =
        watches
            ? Read.objects(page.get("/api/audit?kind=decision&limit=" + LINES), "records")
            : List.of();
    String from = IsoInstant.seconds(Instant.ofEpochMilli(since)).substring(11, 16) + " UTC";
    return page.show(
        "console/overview.jte",
        "Overview",
        shell ->
            new View(
                shell,
                lead(watches, agents, reasons, from, records.isEmpty()),
                from,
                figures(hour, agents),
                Chart.of(minutes, now),
                reasons,
                agents(org, since),
                watches,
                records.stream().map(record -> words.line(record, now)).toList(),
                records.stream()
                    .findFirst()
                    .flatMap(record -> Read.whole(record, "log_index"))
                    .map(String::valueOf)
                    .orElse("0"),
                health(page),
                watches && records.isEmpty(),
                page.may("POST", "/api/passports")));
  }

  private static String lead(
      boolean watches, Tallies.Names agents, List<Reason> reasons, String since, boolean empty) {
    if (!watches) {
      return "Your role sees no decisions.";
    }
    if (empty) {
      return "No agent has asked for anything yet.";
    }
    if (agents.all() == 0) {
      return "No agent has asked for anything since " + since + ".";
    }
    if (agents.denied() == 0) {
      return agents.all() == 1
          ? "The one agent that asked since " + since + " was allowed everything."
          : "All "
              + Show.count(agents.all())
              + " agents that asked since "
              + since
              + " were allowed everything.";
    }
    String mostly =
        reasons.isEmpty() ? "" : ", mostly for this: " + lower(reasons.getFirst().words());
    return Show.count(agents.denied())
        + " of "
        + Show.count(agents.all(), "agent was", "agents were")
        + " denied something since "
        + since
        + mostly
        + ".";
  }

  private static String lower(String text) {
    return text.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + text.substring(1);
  }

  private static List<Figure> figures(Tallies.Counts hour, Tallies.Names agents) {
    return List.of(
        new Figure(Show.count(hour.total()), "decisions in 60 minutes"),
        new Figure(Show.count(hour.allowed()), "allowed"),
        new Figure(Show.count(hour.denied()), "denied"),
        new Figure(Show.count(agents.all()), "agents active"));
  }

  private List<Reason> reasons(OrgId org, long since) {
    List<Tallies.Named> top = tallies.top(org, Tallies.Kind.CODE, since, true, REASONS);
    long all = top.stream().mapToLong(named -> named.counts().denied()).sum();
    return top.stream()
        .map(named ->
            new Reason(
                named.name(),
                Words.reason(named.name()),
                Show.count(named.counts().denied()),
                (int) (named.counts().denied() * 100 / Math.max(1, all))))
        .toList();
  }

  private List<Agent> agents(OrgId org, long since) {
    return tallies.top(org, Tallies.Kind.AGENT, since, false, AGENTS).stream()
        .map(named -> {
          String name = words.agentName(named.name(), org.value());
          return new Agent(
              name.isEmpty()
                  ? "/console/decisions?agent_id=" + Show.url(named.name())
                  : "/console/passports/" + Show.url(named.name()),
              name.isEmpty() ? Show.id(named.name()) : name,
              named.name(),
              Show.count(named.counts().allowed()),
              Show.count(named.counts().denied()));
        })
        .toList();
  }

  private List<Health> health(OpenPage page) {
    var health = new ArrayList<Health>();
    boolean records = recording.getAsBoolean();
    health.add(
        new Health(
            records,
            "Decisions",
            records ? "are recorded and answered" : "cannot be recorded: everything is denied",
            ""));
    health.addAll(nodes.at(page.now()));
    if (page.may("GET", "/api/audit/checkpoint")) {
      long size = AuditPage.checkpoint(page).size();
      health.add(
          new Health(true, "Audit log", Show.count(size) + " records, sealed", "/console/audit"));
    }
    if (page.may("GET", "/api/webhooks")) {
      health.add(webhooks(page));
    }
    return health;
  }

  private static Health webhooks(OpenPage page) {
    List<JsonObject> hooks = page.list("/api/webhooks?limit=20", "webhooks");
    int dead = 0;
    for (JsonObject hook : hooks) {
      dead +=
          page.list(
                  "/api/webhooks/"
                      + Show.url(Read.text(hook, "webhook_id"))
                      + "/deliveries?status=dead&limit=50",
                  "deliveries")
              .size();
    }
    return new Health(
        dead == 0,
        "Webhooks",
        hooks.isEmpty()
            ? "nobody is told of status changes"
            : dead == 0
                ? Show.count(hooks.size(), "receiver", "receivers") + ", nothing undelivered"
                : Show.count(dead, "dead letter", "dead letters") + " to resend",
        "/console/webhooks");
  }
}
