package dev.safeconduct.console;

import dev.safeconduct.cases.CaseReader;
import dev.safeconduct.cases.CaseRun;
import dev.safeconduct.cases.Coverage;
import dev.safeconduct.cases.PolicyCase;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Runs cases by a policy and says which rules they show at work: the cases that ship with
 * everybody's packs, once for each pack, and those that somebody pastes.
 */
public final class PolicyCases {
  /** More than any pack ships with; a page should not keep its reader waiting. */
  private static final int MOST_STEPS = 500;

  private final PolicyCatalog catalog;
  private final PackReader reader;
  private final Function<PolicyId, List<PolicyCase>> shipped;
  private final PolicyDecisionPoint decisionPoint;
  private final Map<String, Told> known = new ConcurrentHashMap<>();

  PolicyCases(
      PolicyCatalog catalog,
      PackReader reader,
      Function<PolicyId, List<PolicyCase>> shipped,
      PolicyDecisionPoint decisionPoint) {
    this.catalog = catalog;
    this.reader = reader;
    this.shipped = shipped;
    this.decisionPoint = decisionPoint;
  }

  /**
   * What running the cases has shown.
   *
   * @param rules what of each rule, by its name
   */
  public record Told(String lead, boolean sound, List<Line> cases, Map<String, OfRule> rules) {
    public Told {
      cases = List.copyOf(cases);
      rules = Map.copyOf(rules);
    }
  }

  /** A case: whether it came out as it should, and what came out. */
  public record Line(boolean passed, String name, List<String> outcomes) {
    public Line {
      outcomes = List.copyOf(outcomes);
    }
  }

  /** What cases show of a rule. */
  public record OfRule(boolean covered, String text) {}

  /** The cases that ship with a pack of everybody's; empty for an organization's own. */
  Optional<Told> shipped(JsonObject document) {
    return catalog
        .find(Read.text(document, "id"))
        .filter(pack -> pack.digest().equals(CanonicalJson.digest(document)))
        .map(pack ->
            known.computeIfAbsent(pack.digest(), _ -> told(pack, shipped.apply(pack.id()))));
  }

  /**
   * Runs cases as {@code policies test} reads them.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 for what is no case, or too many
   */
  Told run(JsonObject document, String text) {
    try {
      List<PolicyCase> cases = CaseReader.read(text.getBytes(StandardCharsets.UTF_8));
      if (cases.stream().mapToInt(one -> one.steps().size()).sum() > MOST_STEPS) {
        throw Problem.invalid("cases", "At most " + MOST_STEPS + " steps run at once.")
            .toException();
      }
      return told(reader.compile(document), cases);
    } catch (CaseReader.CaseFault e) {
      throw Problem.invalid("cases", "Not understood: " + e.getMessage() + ".").toException();
    } catch (PackFault e) {
      throw Problem.invalid("policy", "This version cannot be used any more.").toException();
    }
  }

  private Told told(PolicyPack pack, List<PolicyCase> cases) {
    var coverage = new Coverage(pack);
    var lines = new ArrayList<Line>();
    for (PolicyCase one : cases) {
      CaseRun run = CaseRun.of(one, pack, decisionPoint);
      coverage.add(run);
      lines.add(new Line(run.passed(), one.name(), outcomes(run)));
    }
    var rules = new HashMap<String, OfRule>();
    for (Rule rule : pack.rules()) {
      rules.put(rule.name(), ofRule(coverage, rule.name()));
    }
    long passed = lines.stream().filter(Line::passed).count();
    boolean sound = passed == lines.size();
    return new Told(
        (sound
                ? Show.count(passed, "case comes", "cases come") + " out as expected"
                : Show.count(lines.size() - passed)
                    + " of "
                    + Show.count(lines.size(), "case comes", "cases come")
                    + " out otherwise than expected")
            + "; "
            + Show.count(coverage.covered())
            + " of "
            + Show.count(coverage.rules(), "rule is", "rules are")
            + " covered.",
        sound,
        lines,
        rules);
  }

  private static OfRule ofRule(Coverage coverage, String rule) {
    int denied = coverage.denied(rule);
    int passed = coverage.passed(rule);
    return new OfRule(
        denied > 0 && passed > 0,
        denied == 0 && passed == 0
            ? "no case reaches it"
            : Show.count(denied, "case is", "cases are")
                + " denied by it, "
                + Show.count(passed, "gets", "get")
                + " past it");
  }

  /** A line for each step; what was expected instead where it was. */
  private static List<String> outcomes(CaseRun run) {
    var outcomes = new ArrayList<String>();
    for (CaseRun.StepRun step : run.steps()) {
      outcomes.add(
          step.faults().isEmpty()
              ? Show.sentence(CaseRun.shown(step.outcome()))
              : Show.sentence(String.join("; ", step.faults())));
    }
    return outcomes;
  }
}
