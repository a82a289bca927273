package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.Readings;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.text.NameGlob;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Rules for the branches that an agent may merge into, release from, and delete. */
final class BranchRules {
  private static final String REFERENCES = "refs/";
  private static final String HEADS = "refs/heads/";
  private static final List<String> KEPT =
      List.of("main", "master", "develop", "production", "release/*");

  private BranchRules() {}

  static RuleResult base(Facts facts) {
    List<JsonObject> params = ChangeRules.paramsOf(facts);
    Optional<String> base = facts.context().string("base_branch").filter(name -> !name.isEmpty());
    String branch = facts.context().text("branch");
    return switch (ChangeRules.action(facts)) {
      case "branch.delete" -> deleted(facts, params, branch);
      case "branch.create" ->
          base.map(name -> listed(facts, params, "allowed_base_branches", name))
              .orElse(RuleResult.pass());
      default -> listed(facts, params, "allowed_base_branches", base.orElse(branch));
    };
  }

  static RuleResult release(Facts facts) {
    Optional<String> branch = facts.context().string("branch");
    if (branch.isPresent()) {
      return listed(facts, facts.params(), "allowed_branches", branch.get());
    }
    return Readings.lists(facts.limits(), facts.params(), "allowed_branches")
            instanceof Reading.Absent<List<List<String>>>
        ? RuleResult.pass()
        : RuleResult.fail("No branch was given, and only those in allowed_branches are allowed.");
  }

  private static RuleResult listed(
      Facts facts, List<JsonObject> params, String limit, String branch) {
    return switch (Readings.lists(facts.limits(), params, limit)) {
      case Reading.Absent<List<List<String>>> _ -> RuleResult.pass();
      case Reading.Malformed<List<List<String>>> _ -> RuleResult.fail(limit + " is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) ->
          lists.stream().allMatch(list -> matches(list, branch))
              ? RuleResult.pass()
              : RuleResult.fail("The branch " + Excerpt.of(branch) + " is not in " + limit + ".");
    };
  }

  /** A branch that is an allowed merge target may not be deleted. */
  private static RuleResult deleted(Facts facts, List<JsonObject> params, String branch) {
    return switch (Readings.lists(facts.limits(), params, "allowed_base_branches")) {
      case Reading.Absent<List<List<String>>> _ -> deleted(List.of(), branch);
      case Reading.Malformed<List<List<String>>> _ ->
          RuleResult.fail("allowed_base_branches is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) ->
          deleted(
              lists.stream().flatMap(List::stream).filter(entry -> !entry.equals("*")).toList(),
              branch);
    };
  }

  /** Git finds the branch to delete by its name below {@code refs/} too: {@code heads/main}. */
  private static RuleResult deleted(List<String> bases, String branch) {
    return Stream.of(branch, branch.replaceFirst("^heads/", HEADS))
            .anyMatch(name -> matches(KEPT, name) || matches(bases, name))
        ? RuleResult.fail("The branch " + Excerpt.of(branch) + " must not be deleted.")
        : RuleResult.pass();
  }

  /** Matches entries. An entry with a full reference, {@code refs/heads/*}, matches no tag. */
  private static boolean matches(List<String> entries, String branch) {
    String name = shortName(branch);
    String reference = branch.startsWith(REFERENCES) ? branch : HEADS + branch;
    return entries.stream()
        .anyMatch(entry ->
            NameGlob.anyMatches(List.of(entry), entry.startsWith(HEADS) ? reference : name));
  }

  private static String shortName(String branch) {
    return branch.startsWith(HEADS) ? branch.substring(HEADS.length()) : branch;
  }
}
