package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.simulate.CaseReader;
import dev.safeconduct.simulate.CaseRun;
import dev.safeconduct.simulate.Coverage;
import dev.safeconduct.simulate.PolicyCase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Runs cases under a policy and reports which rules they cover. Cases that ship with built-in packs
 * run once for each pack; pasted cases run on request.
 */
public final class PolicyCases {
  /**
   * The most steps of pasted cases. It is above any built-in pack's, and bounds the response time.
   */
  private static final int MOST_STEPS = 500;

  private final PolicyCatalog catalog;
  private final PackReader reader;
  private final Function<PolicyId, List<PolicyCase>> shipped;
  private final PolicyDecisionPoint decisionPoint;
  private final Map<String, Results> known = new ConcurrentHashMap<>();

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
   * The result of running the cases.
   *
   * @param rules the coverage of each rule, by its name
   */
  public record Results(String lead, boolean sound, List<Line> cases, Map<String, OfRule> rules) {}

  /** A case: whether it passed, and its outcomes. */
  public record Line(boolean passed, String name, List<String> outcomes) {}

  /** The coverage of a rule. */
  public record OfRule(boolean covered, String text) {}

  /** Returns the result of the cases that ship with a built-in pack; empty for a hosted pack. */
  public Optional<Results> shipped(JsonObject document) {
    return catalog
        .find(document.text("id"))
        .filter(pack -> pack.digest().equals(CanonicalJson.digest(document)))
        .map(pack ->
            known.computeIfAbsent(pack.digest(), _ -> results(pack, shipped.apply(pack.id()))));
  }

  /**
   * Runs cases in the format of {@code policies test}.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for text that is not a valid case, or too
   *     many cases
   */
  public Results run(JsonObject document, String text) {
    try {
      List<PolicyCase> cases = CaseReader.read(text.getBytes(StandardCharsets.UTF_8));
      if (cases.stream().mapToInt(one -> one.steps().size()).sum() > MOST_STEPS) {
        throw ProblemException.invalid("cases", "At most " + MOST_STEPS + " steps run at once.");
      }
      return results(reader.compile(document), cases);
    } catch (CaseReader.CaseFault e) {
      throw ProblemException.invalid("cases", "The cases cannot be read: " + e.getMessage() + ".");
    } catch (PackFault e) {
      throw ProblemException.invalid("policy", "This version is no longer supported.");
    }
  }

  private Results results(PolicyPack pack, List<PolicyCase> cases) {
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
    return new Results(
        "%s; %s of %s covered."
            .formatted(
                sound
                    ? Formats.count(passed, "case", "cases") + " passed"
                    : "%s of %s failed"
                        .formatted(
                            Formats.count(lines.size() - passed),
                            Formats.count(lines.size(), "case", "cases")),
                Formats.count(coverage.covered()),
                Formats.count(coverage.rules(), "rule", "rules")),
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
            ? "no case reaches this rule"
            : "%s denied by it, %s passed it"
                .formatted(Formats.count(denied, "case", "cases"), Formats.count(passed)));
  }

  /** Returns a line for each step, with the expected outcome if it differs. */
  private static List<String> outcomes(CaseRun run) {
    return run.steps().stream()
        .map(step ->
            step.faults().isEmpty()
                ? CaseRun.shown(step.outcome())
                : String.join("; ", step.faults()))
        .map(Formats::sentence)
        .toList();
  }
}
