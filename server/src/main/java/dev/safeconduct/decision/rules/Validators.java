package dev.safeconduct.decision.rules;

import dev.safeconduct.decision.Validator;
import dev.safeconduct.decision.path.PathValidators;
import dev.safeconduct.decision.shell.ShellValidators;
import dev.safeconduct.decision.url.UrlValidators;
import java.util.HashMap;
import java.util.Map;

/** Every validator that packs may name. */
public final class Validators {
  /** Those that are not about paths, commands or URLs, by the name a pack's rule gives. */
  private static final Map<String, Validator> OWN =
      Map.ofEntries(
          Map.entry("validateMessageChannel", MessageRules::channel),
          Map.entry("validateMessageRecipients", MessageRules::allowed),
          Map.entry("validateMessageRecipientCount", MessageRules::count),
          Map.entry("validateMessageMentions", MessageRules::mentions),
          Map.entry("validateReportChecks", ReportRules::checks),
          Map.entry("validateSourceReputation", ReportRules::reputation),
          Map.entry("validateMergeRepository", RepositoryRules::change),
          Map.entry("validateMergeBranch", BranchRules::base),
          Map.entry("validateMergePaths", ChangeRules::paths),
          Map.entry("validateMergeSize", ChangeRules::caps),
          Map.entry("validateMergeReview", ChangeRules::review),
          Map.entry("validateReleaseVersion", ReleaseRules::version),
          Map.entry("validateReleaseFiles", ReleaseRules.ReleaseFiles::check),
          Map.entry("validateReleaseRepository", RepositoryRules::release),
          Map.entry("validateReleaseBranch", BranchRules::release),
          Map.entry("validateReleaseSignature", ReleaseRules::signature),
          Map.entry("validateDeliverableCriteriaAttested", TaskRules::complete),
          Map.entry("validateDeliverableCriteriaEvidence", TaskRules::evidence),
          Map.entry("validateDeliverableCriteriaMet", TaskRules::met),
          Map.entry("validateDeliverableSummaryWords", TaskRules::summary),
          Map.entry("validateDeliverableTestsPassing", TaskRules::tests),
          Map.entry("validateDeliverableReviewer", TaskRules::reviewer),
          Map.entry("validateDeliverableBlockedPatterns", TaskRules::patterns),
          Map.entry("validateResourceQuota", ToolRules::resources),
          Map.entry("validateToolNaming", ToolRules::naming),
          Map.entry("validateToolCapabilities", ToolRules::capabilities),
          Map.entry("validateParamsAmount", Amounts::cap),
          Map.entry("validateChargeCountry", ChargeRules::country),
          Map.entry("validateChargeCategories", ChargeRules::categories),
          Map.entry("validatePayoutRecipient", PayoutRecipients::allowed),
          Map.entry("validatePayoutRecipientLimits", new PayoutRecipients.PayoutRecipientLimits()),
          Map.entry("validateExchangeStatus", ExchangeFeeds::status),
          Map.entry("validateMarketHours", ExchangeFeeds::marketHours));

  private Validators() {}

  public static Map<String, Validator> all() {
    var all = new HashMap<String, Validator>(OWN);
    all.putAll(PathValidators.all());
    all.putAll(ShellValidators.all());
    all.putAll(UrlValidators.all());
    return Map.copyOf(all);
  }
}
