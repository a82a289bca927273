package dev.safeconduct.console;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Says in one line what an agent wanted and what came of it. */
public final class DecisionWords {
  private static final int LONG = 140;

  /** Fields that say best what an action is about, most telling first. */
  private static final List<String> TELLING =
      List.of(
          "command",
          "file_path",
          "path",
          "url",
          "tool",
          "tool_name",
          "repo",
          "repository",
          "message",
          "channel_id",
          "amount",
          "query",
          "task",
          "name",
          "action");

  private static final Set<String> SILENT = Set.of("agent_id", "policy_id", "region");

  private final PolicyCatalog catalog;
  private final Passports passports;

  DecisionWords(PolicyCatalog catalog, Passports passports) {
    this.catalog = catalog;
    this.passports = passports;
  }

  /**
   * A decision in a list.
   *
   * @param what what the agent wanted
   * @param why what came of it
   * @param erased whether nothing of that is kept any more
   */
  public record Line(
      String path,
      String agentId,
      String agent,
      String policy,
      String what,
      String why,
      String code,
      boolean allow,
      boolean dryRun,
      boolean erased,
      Show.When at) {}

  /** The line of an audit record, as the contract shows records. */
  Line line(JsonObject record, Instant now) {
    JsonObject body = Read.object(record, "body");
    JsonObject reason = Read.objects(body, "reasons").stream().findFirst().orElse(JsonObject.EMPTY);
    boolean erased = record.isTrue("erased");
    String agent = Read.text(record, "agent_id");
    String policy = Read.text(record, "policy_id");
    boolean allow = record.isTrue("allow");
    return new Line(
        "/console/decisions/" + Read.text(record, "record_id"),
        agent,
        agentName(agent, Read.text(record, "org_id")),
        policy,
        erased
            ? "A decision"
            : what(policy, Read.object(Read.object(record, "details"), "context")),
        erased
            ? "Its content was erased; its place in the log is kept."
            : allow ? "Every check passed." : Show.clip(Read.text(reason, "message"), 300),
        Read.text(reason, "code"),
        allow,
        body.isTrue("dry_run"),
        erased,
        Show.when(Read.text(record, "at"), now));
  }

  /** The passport's name, or its id where it is not one of the organization's. */
  String agentName(String agentId, String org) {
    return AgentId.hosted(agentId)
        .flatMap(passports::find)
        .filter(passport -> !org.isEmpty() && passport.owner().equals(new OrgId(org)))
        .map(Passport::name)
        .map(name -> Show.clip(name, 60))
        .orElse("");
  }

  /** The pack's name, for those of this service; else its id. */
  String policyName(String id) {
    return catalog.find(id).map(PolicyPack::name).orElse(id);
  }

  /** The action in a few words: {@code Run a shell command: git push}. */
  String what(String policy, JsonObject context) {
    String name = policyName(policy);
    for (String field : TELLING) {
      if (context.present(field) instanceof JsonString(String text) && !text.isBlank()) {
        return name + ": " + Show.clip(text.strip(), LONG);
      }
    }
    for (String field : context.names()) {
      JsonValue value = context.present(field);
      if (!SILENT.contains(field) && value instanceof JsonString(String text) && !text.isBlank()) {
        return name + ": " + Show.clip(text.strip(), LONG);
      }
    }
    return name;
  }
}
