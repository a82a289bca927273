package dev.safeconduct.cli;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.DecisionHistory;
import dev.safeconduct.simulate.Replay;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Evaluates the decisions of the log again under a candidate pack. */
@Command(
    name = "replay",
    description = {
      "Evaluate the recorded decisions in DATA_DIR or DATABASE_URL again with another version of a"
          + " policy pack and list those that would change. The service may be running or stopped;"
          + " nothing is written.",
      "Exit status: 0 no decision changes, 1 a decision changes or the pack has errors, 2 usage"
          + " error or unreadable input, 3 most decisions could not be evaluated."
    })
public final class ReplayCommand implements Callable<Integer> {
  private static final int SHOWN = 20;
  private static final int EXIT_UNKNOWN = 3;

  @Mixin private Terminal terminal;

  @Option(
      names = "--pack",
      required = true,
      paramLabel = "FILE",
      description = "The policy pack to evaluate with.")
  private Path pack;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "TIME",
      description = "The start, for example 2026-11-20 or 2026-11-20T08:00:00Z.")
  private String from;

  @Option(names = "--to", paramLabel = "TIME", description = "The end, exclusive. Default: now.")
  private @Nullable String to;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      description = "Only decisions by this policy. Default: the id of the pack.")
  private @Nullable String policy;

  @Option(names = "--org", paramLabel = "ID", description = "Only decisions of this organization.")
  private @Nullable String org;

  @Option(
      names = "--ndjson",
      description = "Print one JSON object for each decision that changes or cannot be replayed.")
  private boolean lines;

  @Option(
      names = "--all",
      description =
          "List every decision that cannot be replayed, not only the first " + SHOWN + ".")
  private boolean all;

  /** The counts of the replay. */
  private static final class Counts {
    private long same;
    private long otherReason;
    private long wouldAllow;
    private long wouldDeny;
    private final TreeMap<String, Long> unknown = new TreeMap<>();

    long all() {
      return same + wouldAllow + wouldDeny + unknowns();
    }

    long unknowns() {
      return unknown.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    PrintWriter err = terminal.err();
    Instant begin = terminal.time("--from", from);
    Instant end = to == null ? Instant.now() : terminal.time("--to", to);
    terminal.checkOrder(begin, end);
    try {
      PackFiles.PackFile file = PackFiles.pack(pack);
      PolicyPack candidate;
      try {
        candidate = BuiltInPacks.reader().read(file.document());
      } catch (PackFault e) {
        PoliciesCommand.print(file, e, out);
        return PoliciesCommand.EXIT_FAILED;
      }
      Counts counts = run(candidate, begin, end, out);
      boolean mostUnknown = counts.unknowns() * 2 > counts.all();
      if (mostUnknown && !lines) {
        out.printf(
            "%d of %d decisions could not be evaluated, so this says little about the pack.%n",
            counts.unknowns(), counts.all());
      }
      return counts.wouldAllow + counts.wouldDeny > 0
          ? PoliciesCommand.EXIT_FAILED
          : mostUnknown ? EXIT_UNKNOWN : 0;
    } catch (PackFiles.Unreadable | ConfigFault | StoreFault | ProblemException e) {
      err.println(e.getMessage());
      return PoliciesCommand.EXIT_UNREADABLE;
    } finally {
      out.flush();
    }
  }

  private Counts run(PolicyPack candidate, Instant begin, Instant end, PrintWriter out)
      throws ConfigFault {
    String policyId = policy == null ? candidate.id().value() : policy;
    var counts = new Counts();
    Env env = terminal.env();
    StoreConfig store = StorageConfig.database(env);
    env.check();
    try (LogReader reader = LogReader.open(store)) {
      var span =
          new DecisionHistory.Span(
              Optional.ofNullable(org).map(reader::organization), policyId, begin, end);
      new Replay(
              candidate,
              new DecisionHistory(reader.reads()),
              new PolicyDecisionPoint(Validators.all(), _ -> {}))
          .run(span, comparison -> print(comparison, counts, out));
    }
    if (!lines) {
      out.printf(
          "%d %s by %s from %s to %s%n",
          counts.all(),
          counts.all() == 1 ? "decision" : "decisions",
          policyId,
          IsoInstant.seconds(begin),
          IsoInstant.seconds(end));
      out.printf("  %d the same, of them %d for another reason%n", counts.same, counts.otherReason);
      out.printf("  %d allows would be denies%n", counts.wouldDeny);
      out.printf("  %d denies would be allows%n", counts.wouldAllow);
      out.printf("  %d cannot be evaluated%n", counts.unknowns());
      counts.unknown.forEach((why, count) -> out.printf("    %d: %s%n", count, why));
    }
    return counts;
  }

  private void print(Replay.Comparison comparison, Counts counts, PrintWriter out) {
    switch (comparison) {
      case Replay.Comparison.Same same -> {
        counts.same++;
        counts.otherReason += same.sameCode() ? 0 : 1;
      }
      case Replay.Comparison.Flips flips -> {
        boolean allow = flips.outcome() instanceof Outcome.Allow;
        counts.wouldAllow += allow ? 1 : 0;
        counts.wouldDeny += allow ? 0 : 1;
        flips(flips, allow, out);
      }
      case Replay.Comparison.NotReplayable unknown -> {
        counts.unknown.merge(unknown.why(), 1L, Long::sum);
        unknown(unknown, counts, out);
      }
    }
  }

  private void flips(Replay.Comparison.Flips flips, boolean allow, PrintWriter out) {
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

  private void unknown(Replay.Comparison.NotReplayable unknown, Counts counts, PrintWriter out) {
    AuditRecord entry = unknown.record().entry();
    if (lines) {
      out.println(Json.text(line(entry, "unknown").put("why", unknown.why()).build()));
    } else if (all || counts.unknowns() <= SHOWN) {
      out.printf(
          "%s  %s  %s  cannot be evaluated: %s%n",
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
}
