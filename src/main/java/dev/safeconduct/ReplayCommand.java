package dev.safeconduct;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.Validators;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.replay.Past;
import dev.safeconduct.replay.Replay;
import dev.safeconduct.store.LogReader;
import dev.safeconduct.store.StoreConfig;
import dev.safeconduct.store.StoreFault;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Judges the decisions of the log again by a candidate. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "Judge the recorded decisions of DATA_DIR or DATABASE_URL, of a running or a stopped service,"
          + " again by a candidate, and list those that would flip. Nothing is changed.",
      "Exit status: 0 nothing flips, 1 something flips or the pack is faulty, 2 usage, or what"
          + " cannot be read."
    })
final class ReplayCommand implements Callable<Integer> {
  private static final int SHOWN = 20;

  private final Supplier<Env> environment;

  /** As the command line makes it. */
  ReplayCommand() {
    this(Main::environment);
  }

  /** {@code environment}: the settings that say where the store is. */
  ReplayCommand(Supplier<Env> environment) {
    this.environment = environment;
  }

  @Spec
  @SuppressWarnings("NullAway.Init") // set before the call
  private CommandSpec spec;

  @Option(names = "--pack", required = true, paramLabel = "FILE", description = "The candidate.")
  @SuppressWarnings("NullAway.Init") // set before the call
  private Path pack;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "TIME",
      description = "The first moment, for example 2026-11-20 or 2026-11-20T08:00:00Z.")
  @SuppressWarnings("NullAway.Init") // set before the call
  private String from;

  @Option(names = "--to", paramLabel = "TIME", description = "The end, exclusive; now by default.")
  private @Nullable String to;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      description = "Whose decisions to judge again; those of the candidate's id by default.")
  private @Nullable String policy;

  @Option(names = "--org", paramLabel = "ID", description = "Only decisions of the organization.")
  private @Nullable String org;

  @Option(
      names = "--ndjson",
      description = "Print one JSON object for each decision that flips or cannot be judged.")
  private boolean lines;

  @Option(
      names = "--all",
      description = "List every decision that cannot be judged, not only the first " + SHOWN + ".")
  private boolean all;

  /** What has been counted. */
  private static final class Counts {
    private long same;
    private long otherReason;
    private long wouldAllow;
    private long wouldDeny;
    private final TreeMap<String, Long> unknown = new TreeMap<>();

    long unknowns() {
      return unknown.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Instant begin = time("--from", from);
    Instant end = to == null ? Instant.now() : time("--to", to);
    try {
      PackFiles.PackFile file = PackFiles.pack(pack);
      PolicyPack candidate;
      try {
        candidate = BuiltInPacks.reader().read(file.document());
      } catch (PackFault e) {
        PoliciesCommand.tell(file, e, out);
        return PoliciesCommand.EXIT_FAILED;
      }
      var span =
          new Past.Span(
              Optional.ofNullable(org).map(OrgId::new),
              policy == null ? candidate.id().value() : policy,
              begin,
              end);
      Counts counts = run(candidate, span, out);
      return counts.wouldAllow + counts.wouldDeny == 0 ? 0 : PoliciesCommand.EXIT_FAILED;
    } catch (PackFiles.Unreadable | ConfigFault | StoreFault | ProblemException e) {
      err.println(e.getMessage());
      return PoliciesCommand.EXIT_UNREADABLE;
    } finally {
      out.flush();
    }
  }

  private Counts run(PolicyPack candidate, Past.Span span, PrintWriter out) throws ConfigFault {
    var counts = new Counts();
    Env env = environment.get();
    Optional<String> url = env.string("DATABASE_URL");
    Path folder = Path.of(env.string("DATA_DIR", "./data"));
    env.check();
    StoreConfig store = url.map(StoreConfig::postgres).orElseGet(() -> StoreConfig.sqlite(folder));
    try (LogReader reader = LogReader.open(store)) {
      new Replay(candidate, reader.past(), new PolicyDecisionPoint(Validators.all(), _ -> {}))
          .run(span, judged -> told(judged, counts, out));
    }
    if (!lines) {
      out.printf(
          "%d decisions by %s from %s to %s%n",
          counts.same + counts.wouldAllow + counts.wouldDeny + counts.unknowns(),
          span.policyId(),
          IsoInstant.seconds(span.from()),
          IsoInstant.seconds(span.to()));
      out.printf("  %d the same, of them %d for another reason%n", counts.same, counts.otherReason);
      out.printf("  %d allows would be denies%n", counts.wouldDeny);
      out.printf("  %d denies would be allows%n", counts.wouldAllow);
      out.printf("  %d cannot be judged%n", counts.unknowns());
      counts.unknown.forEach((why, count) -> out.printf("    %d: %s%n", count, why));
    }
    return counts;
  }

  private void told(Replay.Judged judged, Counts counts, PrintWriter out) {
    switch (judged) {
      case Replay.Judged.Same same -> {
        counts.same++;
        counts.otherReason += same.sameCode() ? 0 : 1;
      }
      case Replay.Judged.Flips flips -> {
        boolean allow = flips.outcome() instanceof Outcome.Allow;
        counts.wouldAllow += allow ? 1 : 0;
        counts.wouldDeny += allow ? 0 : 1;
        flips(flips, allow, out);
      }
      case Replay.Judged.Unknown unknown -> {
        counts.unknown.merge(unknown.why(), 1L, Long::sum);
        unknown(unknown, counts, out);
      }
    }
  }

  private void flips(Replay.Judged.Flips flips, boolean allow, PrintWriter out) {
    AuditRecord entry = flips.record().entry();
    if (lines) {
      out.println(
          Json.text(
              line(entry, allow ? "would_allow" : "would_deny")
                  .put("code", flips.outcome().reason().code())
                  .put("message", flips.outcome().reason().message())
                  .putIfPresent("rule", flips.outcome().reason().rule())
                  .build()));
      return;
    }
    out.printf(
        "%s  %s  %s  %s -> %s%s: %s%n",
        IsoInstant.millis(entry.at()),
        entry.id(),
        entry.agent().map(Object::toString).orElse(""),
        entry.code().orElse(""),
        flips.outcome().reason().code(),
        flips.outcome().reason().rule().map(rule -> " by " + rule).orElse(""),
        flips.outcome().reason().message());
  }

  private void unknown(Replay.Judged.Unknown unknown, Counts counts, PrintWriter out) {
    AuditRecord entry = unknown.record().entry();
    if (lines) {
      out.println(Json.text(line(entry, "unknown").put("why", unknown.why()).build()));
    } else if (all || counts.unknowns() <= SHOWN) {
      out.printf(
          "%s  %s  %s  cannot be judged: %s%n",
          IsoInstant.millis(entry.at()),
          entry.id(),
          entry.agent().map(Object::toString).orElse(""),
          unknown.why());
    }
  }

  private static JsonObject.Builder line(AuditRecord entry, String result) {
    JsonObject.Builder line =
        JsonObject.builder()
            .put("result", result)
            .put("decision_id", entry.id().toString())
            .put("at", IsoInstant.millis(entry.at()))
            .put("org_id", entry.org().value());
    entry.agent().ifPresent(agent -> line.put("agent_id", agent.value()));
    return line.putIfPresent("recorded_code", entry.code());
  }

  private Instant time(String option, String text) {
    try {
      return IsoInstant.parse(text)
          .orElseGet(() -> LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());
    } catch (DateTimeException e) {
      throw new ParameterException(
          spec.commandLine(),
          option + " must be a day or a date-time with a zone, such as 2026-11-20T08:00:00Z");
    }
  }
}
