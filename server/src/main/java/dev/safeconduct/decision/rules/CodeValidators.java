package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import java.util.Map;

/** The named validators of code.repository.merge.v1 and code.release.publish.v1. */
public final class CodeValidators {
  private static final Map<String, Validator> ALL =
      Map.of(
          "validateMergeRepository", RepositoryRules::change,
          "validateMergeBranch", BranchRules::base,
          "validateMergePaths", ChangeRules::paths,
          "validateMergeSize", ChangeRules::caps,
          "validateMergeReview", ChangeRules::review,
          "validateReleaseVersion", ReleaseRules::version,
          "validateReleaseFiles", ReleaseFiles::check,
          "validateReleaseRepository", RepositoryRules::release,
          "validateReleaseBranch", BranchRules::release,
          "validateReleaseSignature", ReleaseRules::signature);

  private CodeValidators() {}

  /** Validators by the name a pack's rule gives. */
  public static Map<String, Validator> all() {
    return ALL;
  }
}
