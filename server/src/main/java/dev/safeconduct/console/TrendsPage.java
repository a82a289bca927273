package dev.safeconduct.console;

import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Labels;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.TrendChart;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Decisions over a period: how many, by policy, by agent and by reason. */
public final class TrendsPage {
  private static final String PATH = "/console/trends";
  private static final int SHOWN = 10;

  private final SignInPage signIn;
  private final DecisionWords words;

  TrendsPage(SignInPage signIn, DecisionWords words) {
    this.signIn = signIn;
    this.words = words;
  }

  List<Route> routes() {
    return List.of(signIn.page(PATH, this::show));
  }

  /** A period to choose, and the length of its bars. */
  private record Period(String id, String name, Duration length, String interval, Duration bar) {}

  private static final List<Period> PERIODS =
      List.of(
          new Period("1h", "1 hour", Duration.ofHours(1), "minute", Duration.ofMinutes(1)),
          new Period("24h", "24 hours", Duration.ofHours(24), "hour", Duration.ofHours(1)),
          new Period("7d", "7 days", Duration.ofDays(7), "hour", Duration.ofHours(6)),
          new Period("30d", "30 days", Duration.ofDays(30), "day", Duration.ofDays(1)));

  /**
   * The page; {@code console/trends.jte}.
   *
   * @param fault why the period cannot be counted; empty if it was
   */
  public record Trends(
      Layout shell,
      String lead,
      String fault,
      List<Range> ranges,
      TrendChart chart,
      List<Row> policies,
      List<Row> agents,
      List<Row> reasons,
      String curl) {
    public Trends {
      ranges = List.copyOf(ranges);
      policies = List.copyOf(policies);
      agents = List.copyOf(agents);
      reasons = List.copyOf(reasons);
    }
  }

  /** A period to choose. */
  public record Range(String path, String name, boolean current) {}

  /** A policy, an agent or a reason, with its decisions. */
  public record Row(String path, String name, long allowed, long denied, int share) {
    /** Returns a number of decisions for people. */
    public static String count(long number) {
      return Formats.count(number);
    }
  }

  /** The numbers of allows and denies. */
  private record Sum(long allowed, long denied) {
    private static final Sum NONE = new Sum(0, 0);

    private Sum plus(Sum other) {
      return new Sum(allowed + other.allowed, denied + other.denied);
    }

    private long total() {
      return allowed + denied;
    }
  }

  private Response show(OpenPage page) {
    page.demand("GET", "/api/audit/stats");
    Period period =
        PERIODS.stream()
            .filter(each -> each.id().equals(page.query("since").orElse("1h")))
            .findFirst()
            .orElse(PERIODS.getFirst());
    String target =
        "/api/audit/stats?interval="
            + period.interval()
            + "&from="
            + Formats.url(IsoInstant.millis(page.now().minus(period.length())))
            + "&to="
            + Formats.url(IsoInstant.millis(page.now()));
    JsonObject stats = JsonObject.EMPTY;
    String fault = "";
    try {
      stats = page.get(target);
    } catch (ProblemException e) {
      if (!(e.problem() instanceof Problem.InvalidRequest)) {
        throw e;
      }
      fault = "There are too many decisions in this period to count at once. Choose a shorter one.";
    }
    return shown(page, period, stats, fault, target);
  }

  private Response shown(
      OpenPage page, Period period, JsonObject stats, String fault, String target) {
    List<JsonObject> byAgent = AnswerReader.objects(stats, "agents");
    List<JsonObject> byRule = AnswerReader.objects(stats, "rules");
    Sum all = byAgent.stream().map(TrendsPage::ofAgent).reduce(Sum.NONE, Sum::plus);
    String since = "&since=" + period.id();
    return page.show(
        "console/trends.jte",
        "Trends",
        shell ->
            new Trends(
                shell,
                Formats.count(all.allowed())
                    + " allowed and "
                    + Formats.count(all.denied())
                    + " denied in the last "
                    + period.name()
                    + ".",
                fault,
                PERIODS.stream()
                    .map(each ->
                        new Range(PATH + "?since=" + each.id(), each.name(), each.equals(period)))
                    .toList(),
                chart(page, period, byAgent),
                rows(
                    byRule,
                    "policy_id",
                    TrendsPage::ofRule,
                    id -> "/console/decisions?policy_id=" + Formats.url(id) + since,
                    words::policyName),
                rows(
                    byAgent,
                    "agent_id",
                    TrendsPage::ofAgent,
                    id -> "/console/decisions?agent_id=" + Formats.url(id) + since,
                    id -> page.agentName(id)),
                rows(
                    byRule.stream().filter(rule -> ofRule(rule).denied() > 0).toList(),
                    "code",
                    TrendsPage::ofRule,
                    id -> "/console/decisions?allow=false&code=" + Formats.url(id) + since,
                    Labels::reason),
                Curl.get(page, target)));
  }

  private static Sum ofAgent(JsonObject slot) {
    return new Sum(
        AnswerReader.whole(slot, "allowed").orElse(0L),
        AnswerReader.whole(slot, "denied").orElse(0L));
  }

  private static Sum ofRule(JsonObject slot) {
    long count = AnswerReader.whole(slot, "count").orElse(0L);
    return AnswerReader.text(slot, "code").equals("oap.allowed")
        ? new Sum(count, 0)
        : new Sum(0, count);
  }

  private static TrendChart chart(OpenPage page, Period period, List<JsonObject> slots) {
    long bar = period.bar().toMillis();
    long last = Math.floorDiv(page.now().toEpochMilli(), bar) * bar;
    var bars = new TreeMap<Long, Sum>();
    for (long at = last - period.length().toMillis() + bar; at <= last; at += bar) {
      bars.put(at, Sum.NONE);
    }
    for (JsonObject slot : slots) {
      IsoInstant.parse(AnswerReader.text(slot, "at"))
          .ifPresent(at ->
              bars.computeIfPresent(
                  Math.floorDiv(at.toEpochMilli(), bar) * bar,
                  (_, sum) -> sum.plus(ofAgent(slot))));
    }
    var counts = new ArrayList<TrendChart.Count>();
    bars.forEach((at, sum) -> counts.add(new TrendChart.Count(at, sum.allowed(), sum.denied())));
    return TrendChart.of(counts, page.now());
  }

  /** Returns the most frequent ones. Only these are named. */
  private static List<Row> rows(
      List<JsonObject> slots,
      String member,
      Function<JsonObject, Sum> sum,
      Function<String, String> path,
      Function<String, String> name) {
    Map<String, Sum> sums = new LinkedHashMap<>();
    for (JsonObject slot : slots) {
      sums.merge(AnswerReader.text(slot, member), sum.apply(slot), Sum::plus);
    }
    long most = sums.values().stream().mapToLong(Sum::total).max().orElse(1);
    return sums.entrySet().stream()
        .sorted(
            Comparator.comparingLong((Map.Entry<String, Sum> each) -> each.getValue().total())
                .reversed())
        .limit(SHOWN)
        .map(each ->
            new Row(
                path.apply(each.getKey()),
                each.getKey().isEmpty() ? "none" : name.apply(each.getKey()),
                each.getValue().allowed(),
                each.getValue().denied(),
                (int) (100 * each.getValue().total() / Math.max(1, most))))
        .toList();
  }
}
