package dev.safeconduct.decision.code;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Reading;
import dev.safeconduct.decision.facts.Readings;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Optional;

/** Which branches may be merged into, released from, and deleted. */
final class BranchRules {
  private static final String REFERENCES = "refs/";
  private static final String HEADS = "refs/heads/";
  private static final List<String> KEPT =
      List.of("main", "master", "develop", "production", "release/*");

  private BranchRules() {}

  static Verdict base(Facts facts) {
    List<JsonObject> params = MergeAction.params(facts);
    Optional<String> base = facts.context().string("base_branch").filter(name -> !name.isEmpty());
    String branch = facts.context().string("branch").orElse("");
    return switch (MergeAction.of(facts)) {
      case "branch.delete" -> deleted(facts, params, branch);
      case "branch.create" ->
          base.map(name -> listed(facts, params, "allowed_base_branches", name))
              .orElse(Verdict.pass());
      default -> listed(facts, params, "allowed_base_branches", base.orElse(branch));
    };
  }

  static Verdict release(Facts facts) {
    Optional<String> branch = facts.context().string("branch");
    if (branch.isPresent()) {
      return listed(facts, facts.params(), "allowed_branches", branch.get());
    }
    return Readings.lists(facts.limits(), facts.params(), "allowed_branches")
            instanceof Reading.Absent<List<List<String>>>
        ? Verdict.pass()
        : Verdict.fail("No branch was given, and only those in allowed_branches are allowed.");
  }

  private static Verdict listed(Facts facts, List<JsonObject> params, String limit, String branch) {
    return switch (Readings.lists(facts.limits(), params, limit)) {
      case Reading.Absent<List<List<String>>> _ -> Verdict.pass();
      case Reading.Malformed<List<List<String>>> _ -> Verdict.fail(limit + " is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) ->
          lists.stream().allMatch(list -> matches(list, branch))
              ? Verdict.pass()
              : Verdict.fail("The branch " + Excerpt.of(branch) + " is not in " + limit + ".");
    };
  }

  /** A branch that changes may go into is one to keep. */
  private static Verdict deleted(Facts facts, List<JsonObject> params, String branch) {
    return switch (Readings.lists(facts.limits(), params, "allowed_base_branches")) {
      case Reading.Absent<List<List<String>>> _ -> deleted(List.of(), branch);
      case Reading.Malformed<List<List<String>>> _ ->
          Verdict.fail("allowed_base_branches is not a list.");
      case Reading.Present<List<List<String>>>(List<List<String>> lists) ->
          deleted(
              lists.stream().flatMap(List::stream).filter(entry -> !entry.equals("*")).toList(),
              branch);
    };
  }

  private static Verdict deleted(List<String> bases, String branch) {
    return matches(KEPT, branch) || matches(bases, branch)
        ? Verdict.fail("The branch " + Excerpt.of(branch) + " must not be deleted.")
        : Verdict.pass();
  }

  /** An entry that names its reference whole, {@code refs/heads/*}, speaks of no tag. */
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
