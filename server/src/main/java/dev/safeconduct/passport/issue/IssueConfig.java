package dev.safeconduct.passport.issue;

import dev.safeconduct.config.Env;
import dev.safeconduct.passport.catalog.Catalogue;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration of issuing without an account.
 *
 * @param requireEmail whether every passport needs the email address of a human who may claim it
 * @param setupKeys whether a passport comes with its own setup key
 * @param maxCapabilities the maximum number of capabilities of a passport; empty for all in presets
 * @param perAddressPerHour the rate limit per address; 0 for no limit
 * @param perEmailPerDay the rate limit per mailbox; 0 for no limit
 * @param unclaimedDays after how many days a passport that nobody claims is revoked; 0 for never
 */
public record IssueConfig(
    boolean requireEmail,
    boolean setupKeys,
    Set<String> maxCapabilities,
    int perAddressPerHour,
    int perEmailPerDay,
    int unclaimedDays) {
  public IssueConfig {
    maxCapabilities = Set.copyOf(maxCapabilities);
  }

  /** Reads ISSUE_… and RATE_ISSUE_… variables; errors are collected in {@code env}. */
  public static IssueConfig from(Env env) {
    return new IssueConfig(
        env.bool("ISSUE_REQUIRE_EMAIL", true),
        env.bool("ISSUE_SETUP_KEYS", true),
        capabilities(env),
        env.integer("RATE_ISSUE_PER_ADDRESS_PER_HOUR", 10, 0, 1_000_000),
        env.integer("RATE_ISSUE_PER_EMAIL_PER_DAY", 3, 0, 1_000_000),
        unclaimedDays(env));
  }

  /** An email with a link that works for three days goes out before. */
  private static int unclaimedDays(Env env) {
    int days = env.integer("ISSUE_UNCLAIMED_DAYS", 30, 0, 3_650);
    if (days == 1 || days == 2) {
      env.fault("ISSUE_UNCLAIMED_DAYS", "must be 0 (never) or a number from 3 to 3650");
    }
    return days;
  }

  private static Set<String> capabilities(Env env) {
    Catalogue catalogue = Catalogue.builtIn();
    var ids = new LinkedHashSet<String>();
    for (String text : env.list("ISSUE_MAX_CAPABILITIES")) {
      Optional<String> id = catalogue.canonicalId(text);
      id.ifPresentOrElse(
          ids::add,
          () ->
              env.fault(
                  "ISSUE_MAX_CAPABILITIES", "has \"" + text + "\", which is no known capability"));
    }
    return ids;
  }
}
