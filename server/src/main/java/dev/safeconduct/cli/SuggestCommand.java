package dev.safeconduct.cli;

import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.app.StorageConfig;
import dev.safeconduct.audit.verify.LogReader;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.Json;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.simulate.suggest.Suggest;
import dev.safeconduct.simulate.suggest.SuggestEndpoints;
import dev.safeconduct.simulate.suggest.Suggestion;
import dev.safeconduct.simulate.suggest.UnusedPrivilege;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Suggests narrower passports from the decisions of the log. */
@Command(
    name = "suggest",
    description = {
      "Suggest the narrowest capabilities and limits that would have allowed what was allowed, by"
          + " the decisions in DATA_DIR or DATABASE_URL. Prints one JSON object for each passport."
          + " The service may be running or stopped; nothing is written. It uses every processor; run"
          + " it under nice beside a busy service.",
      "Exit status: 0 done, 1 a suggestion would deny what was allowed, 2 usage error or unreadable"
          + " input."
    })
public final class SuggestCommand implements Callable<Integer> {
  /** The agents read at once. */
  private static final int PAGE = 1_000;

  @Mixin private Terminal terminal;

  @ArgGroup(multiplicity = "1")
  private Which which;

  /** The passports to suggest for. */
  static final class Which {
    @Option(names = "--agent", paramLabel = "ID", description = "The passport of one agent.")
    private @Nullable String agent;

    @Option(
        names = "--template",
        paramLabel = "ID",
        description = "A template, by the decisions of all its instances.")
    private @Nullable String template;

    @Option(
        names = "--org",
        paramLabel = "ID",
        description = "Every passport of an organization that is not an instance.")
    private @Nullable String org;

    @Option(
        names = "--fleet",
        paramLabel = "ID",
        description =
            "Only list the agents of an organization by the privilege that they do not use, widest"
                + " first.")
    private @Nullable String fleet;
  }

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "The start, for example 2026-11-20 or 2026-11-20T08:00:00Z. Default: 30 days before the"
              + " end.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "The end, exclusive. Default: now.")
  private @Nullable String to;

  @Option(
      names = "--include-denied",
      paramLabel = "WHICH",
      defaultValue = "none",
      description =
          "Denied decisions that the passport should allow, as far as it does now: none, approved"
              + " or all. Default: none.")
  private String denied;

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    // The end is exclusive: with the decisions of this millisecond.
    Instant end = to == null ? Instant.now().plusMillis(1) : terminal.time("--to", to);
    Instant begin =
        from == null ? end.minus(SuggestEndpoints.USUAL) : terminal.time("--from", from);
    terminal.checkOrder(begin, end);
    Suggest.Denied included =
        Suggest.Denied.parse(denied)
            .orElseThrow(() -> terminal.fault("--include-denied must be none, approved or all"));
    try {
      Env env = terminal.env();
      StoreConfig store = StorageConfig.database(env);
      env.check();
      try (LogReader reader = LogReader.open(store)) {
        if (which.fleet != null) {
          list(reader.reads(), organization(reader.reads(), which.fleet), out);
          return 0;
        }
        var suggest =
            new Suggest(
                reader.reads(),
                BuiltInPacks.catalog(),
                BuiltInPacks.reader(),
                new PolicyDecisionPoint(Validators.all(), _ -> {}));
        int status = 0;
        for (Passport passport : passports(reader.reads())) {
          Suggestion suggestion =
              suggest.run(
                  new Suggest.Request(passport, begin, end, included, Long.MAX_VALUE, false));
          out.println(Json.text(suggestion.json()));
          status = suggestion.newlyDenied().isEmpty() ? status : PoliciesCommand.EXIT_FAILED;
        }
        return status;
      }
    } catch (ConfigFault | StoreFault | ProblemException e) {
      terminal.err().println(e.getMessage());
      return PoliciesCommand.EXIT_UNREADABLE;
    } finally {
      out.flush();
    }
  }

  private static void list(Reads reads, OrgId org, PrintWriter out) {
    PolicyCatalog packs = BuiltInPacks.catalog();
    Optional<String> after = Optional.empty();
    do {
      List<UnusedPrivilege.Row> rows =
          UnusedPrivilege.page(reads, packs, org, after, PAGE, Instant.now());
      rows.forEach(row -> out.println(Json.text(row.json())));
      after = rows.size() < PAGE ? Optional.empty() : Optional.of(rows.getLast().order());
    } while (after.isPresent());
  }

  private OrgId organization(Reads reads, String named) {
    return Organizations.id(reads, named)
        .orElseThrow(() -> terminal.fault("there is no organization " + named));
  }

  private List<Passport> passports(Reads reads) {
    if (which.org != null) {
      var all = new ArrayList<Passport>();
      Passports.each(
          reads,
          organization(reads, which.org),
          passport -> {
            if (passport.document().string("kind").filter("instance"::equals).isEmpty()) {
              all.add(passport);
            }
          });
      return all;
    }
    String named = which.agent == null ? which.template : which.agent;
    return AgentId.hosted(named == null ? "" : named)
        .flatMap(id -> Passports.find(reads, id))
        .map(List::of)
        .orElseThrow(() -> terminal.fault("there is no passport " + named));
  }
}
