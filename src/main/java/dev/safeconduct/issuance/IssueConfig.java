package dev.safeconduct.issuance;

import dev.safeconduct.config.Env;
import dev.safeconduct.passport.Catalogue;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What those without an account may have issued.
 *
 * @param requireEmail whether every passport needs a human who may claim it
 * @param setupKeys whether a passport comes with a key of its own
 * @param maxCapabilities the most a passport may hold; empty for all that presets hold
 * @param perAddressPerHour how many an address may have; 0 for no limit
 * @param perEmailPerDay how many may name one mailbox; 0 for no limit
 */
public record IssueConfig(
    boolean requireEmail,
    boolean setupKeys,
    Set<String> maxCapabilities,
    int perAddressPerHour,
    int perEmailPerDay) {
  public IssueConfig {
    maxCapabilities = Set.copyOf(maxCapabilities);
  }

  /** Reads ISSUE_… and RATE_ISSUE_…; faults are noted in {@code env}. */
  public static IssueConfig from(Env env) {
    return new IssueConfig(
        env.bool("ISSUE_REQUIRE_EMAIL", true),
        env.bool("ISSUE_SETUP_KEYS", true),
        capabilities(env),
        env.integer("RATE_ISSUE_PER_ADDRESS_PER_HOUR", 10, 0, 1_000_000),
        env.integer("RATE_ISSUE_PER_EMAIL_PER_DAY", 3, 0, 1_000_000));
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
