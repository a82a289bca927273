package dev.safeconduct.console;

import java.util.Map;

/** Words for the codes of the contract. */
final class Words {
  private static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry("oap.allowed", "Every check passed"),
          Map.entry("oap.passport_suspended", "The passport is not active"),
          Map.entry("oap.passport_expired", "The passport has expired"),
          Map.entry("oap.unknown_capability", "The passport lacks the capability"),
          Map.entry("oap.assurance_insufficient", "Not sure enough of the owner"),
          Map.entry("oap.invalid_context", "The action was not described properly"),
          Map.entry("oap.approval_required", "A person has to approve it first"),
          Map.entry("oap.command_not_allowed", "A command that is not on the list"),
          Map.entry("oap.blocked_pattern", "Something blocked in a command"),
          Map.entry("oap.directory_not_allowed", "A directory that is not on the list"),
          Map.entry("oap.path_not_allowed", "A path that is not on the list"),
          Map.entry("oap.env_var_blocked", "A blocked environment variable"),
          Map.entry("oap.domain_not_allowed", "A site that is not on the list"),
          Map.entry("oap.url_blocked", "A blocked address"),
          Map.entry("oap.region_blocked", "A region that is not on the passport"),
          Map.entry("oap.limit_exceeded", "More than a limit allows"),
          Map.entry("oap.rate_limit_exceeded", "Too often in a short time"),
          Map.entry("oap.daily_cap_exceeded", "More than a day’s cap allows"),
          Map.entry("oap.currency_unsupported", "A currency that is not on the list"),
          Map.entry("oap.server_not_allowed", "An MCP server that is not on the list"),
          Map.entry("oap.tool_not_allowed", "A tool that is not on the list"),
          Map.entry("oap.repo_not_allowed", "A repository that is not on the list"),
          Map.entry("oap.branch_not_allowed", "A branch that is not on the list"),
          Map.entry("oap.channel_not_allowed", "A channel that is not on the list"),
          Map.entry("oap.pii_blocked", "Personal data that may not leave"),
          Map.entry("oap.idempotency_conflict", "The same payment a second time"),
          Map.entry("oap.policy_error", "The policy could not be evaluated"));

  private Words() {}

  /** What a reason's code means. */
  static String reason(String code) {
    return REASONS.getOrDefault(
        code, Show.sentence(Show.words(code.startsWith("oap.") ? code.substring(4) : code)));
  }

  /** Who did something, from the audit log's name for them. */
  static String caller(String name) {
    if (name.equals("admin")) {
      return "the admin token";
    }
    if (name.equals("anonymous") || name.isEmpty()) {
      return "nobody in particular";
    }
    int colon = name.indexOf(':');
    if (colon > 0) {
      String kind = name.substring(0, colon);
      String id = Show.id(name.substring(colon + 1));
      return switch (kind) {
        case "key" -> "key " + id;
        case "account" -> "a person, " + id;
        default -> kind + " " + id;
      };
    }
    return name;
  }
}
