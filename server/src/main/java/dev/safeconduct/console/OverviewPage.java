package dev.safeconduct.console;

import dev.safeconduct.audit.CountDecisions;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.Chart;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Labels;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The overview: the active agents, the denies with their reasons, and the service's health. */
public final class OverviewPage {
  private static final int REASONS = 6;
  private static final int AGENTS = 8;
  private static final int LINES = 15;

  private final SignInPage signIn;
  private final DecisionCounts tallies;
  private final CountDecisions count;
  private final DecisionWords words;
  private final BooleanSupplier recording;
  private final NodeHealth nodes;

  /**
   * @param recording whether decisions can be recorded
   */
  OverviewPage(
      SignInPage signIn,
      DecisionCounts tallies,
      CountDecisions count,
      DecisionWords words,
      BooleanSupplier recording,
      NodeHealth nodes) {
    this.signIn = signIn;
    this.tallies = tallies;
    this.count = count;
    this.words = words;
    this.recording = recording;
    this.nodes = nodes;
  }

  List<Route> routes() {
    return List.of(signIn.page("/console", this::overview));
  }

  /** The page; {@code console/overview.jte}. */
  public record Dashboard(
      Layout shell,
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
    public Dashboard {
      figures = List.copyOf(figures);
      reasons = List.copyOf(reasons);
      agents = List.copyOf(agents);
      lines = List.copyOf(lines);
      health = List.copyOf(health);
    }
  }

  /** A number and its caption. */
  public record Figure(String number, String what) {}

  /** A deny reason; {@code share} is the percentage of all denies. */
  public record Reason(String code, String words, String count, int share) {}

  /** An agent with the counts of its decisions. */
  public record Agent(String path, String name, String id, String allowed, String denied) {}

  /** The health of a part of the service. */
  public record Health(boolean well, String name, String text, String link) {}

  private Response overview(OpenPage page) {
    boolean watches = page.may("GET", "/api/audit");
    if (watches) {
      count.freshen();
    }
    var org = new OrgId(page.org());
    Instant now = page.now();
    long since = RecentActivity.since(now);
    Map<Long, DecisionCounts.Counts> minutes =
        tallies.buckets(
            org,
            DecisionCounts.Kind.MINUTE,
            DecisionCounts.Kind.MINUTE.lately(now.minus(Duration.ofMinutes(59)).toEpochMilli()));
    DecisionCounts.Counts hour =
        minutes.values().stream().reduce(DecisionCounts.Counts.NONE, DecisionCounts.Counts::plus);
    DecisionCounts.Names agents = tallies.names(org, DecisionCounts.Kind.AGENT, since);
    List<Reason> reasons = reasons(org, since);
    List<JsonObject> records =
        watches
            ? AnswerReader.objects(page.get("/api/audit?kind=decision&limit=" + LINES), "records")
            : List.of();
    String from = IsoInstant.seconds(Instant.ofEpochMilli(since)).substring(11, 16) + " UTC";
    return page.show(
        "console/overview.jte",
        "Overview",
        shell ->
            new Dashboard(
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
                    .flatMap(record -> AnswerReader.whole(record, "log_index"))
                    .map(String::valueOf)
                    .orElse("0"),
                health(page),
                watches && records.isEmpty(),
                page.may("POST", "/api/passports")));
  }

  private static String lead(
      boolean watches,
      DecisionCounts.Names agents,
      List<Reason> reasons,
      String since,
      boolean empty) {
    if (!watches) {
      return "Your role cannot view decisions.";
    }
    if (empty) {
      return "No decisions yet.";
    }
    if (agents.all() == 0) {
      return "No decisions since " + since + ".";
    }
    if (agents.denied() == 0) {
      return Formats.count(agents.all(), "agent", "agents")
          + " active since "
          + since
          + ", no denials.";
    }
    String top = reasons.isEmpty() ? "" : " Top reason: " + lower(reasons.getFirst().words()) + ".";
    return Formats.count(agents.denied())
        + " of "
        + Formats.count(agents.all(), "active agent", "active agents")
        + " had denials since "
        + since
        + "."
        + top;
  }

  private static String lower(String text) {
    return text.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + text.substring(1);
  }

  private static List<Figure> figures(DecisionCounts.Counts hour, DecisionCounts.Names agents) {
    return List.of(
        new Figure(Formats.count(hour.total()), "decisions in the last hour"),
        new Figure(Formats.count(hour.allowed()), "allowed"),
        new Figure(Formats.count(hour.denied()), "denied"),
        new Figure(Formats.count(agents.all()), "active agents"));
  }

  private List<Reason> reasons(OrgId org, long since) {
    List<DecisionCounts.Named> top =
        tallies.top(org, DecisionCounts.Kind.CODE, since, true, REASONS);
    long all = top.stream().mapToLong(named -> named.counts().denied()).sum();
    return top.stream()
        .map(named ->
            new Reason(
                named.name(),
                Labels.reason(named.name()),
                Formats.count(named.counts().denied()),
                (int) (named.counts().denied() * 100 / Math.max(1, all))))
        .toList();
  }

  private List<Agent> agents(OrgId org, long since) {
    return tallies.top(org, DecisionCounts.Kind.AGENT, since, false, AGENTS).stream()
        .map(named -> {
          String name = words.agentName(named.name(), org.value());
          return new Agent(
              name.isEmpty()
                  ? "/console/decisions?agent_id=" + Formats.url(named.name())
                  : "/console/passports/" + Formats.url(named.name()),
              name.isEmpty() ? Formats.id(named.name()) : name,
              named.name(),
              Formats.count(named.counts().allowed()),
              Formats.count(named.counts().denied()));
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
            records ? "recorded" : "cannot be recorded: every request is denied",
            ""));
    health.addAll(nodes.at(page.now()));
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
            .filter(hook -> WebhooksPage.failed(page, AnswerReader.text(hook, "webhook_id"), 1) > 0)
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
}
