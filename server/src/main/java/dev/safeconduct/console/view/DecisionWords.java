package dev.safeconduct.console.view;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Describes an agent's action and its outcome in one line. */
public final class DecisionWords {
  private static final int LONG = 140;

  /** The context fields that describe an action best, in order of preference. */
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

  public DecisionWords(PolicyCatalog catalog, Passports passports) {
    this.catalog = catalog;
    this.passports = passports;
  }

  /**
   * A decision in a list.
   *
   * @param what the agent's action
   * @param why the outcome
   * @param erased whether its content has been erased
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
      Formats.When at) {
    /** Returns the id of the record. */
    public String id() {
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

  /** Returns the line of an audit record in the API's format. */
  public Line line(JsonObject record, Instant now) {
    Optional<Decision> decision = DecisionJson.read(record.child("body"));
    boolean erased = record.isTrue("erased");
    String agent = record.text("agent_id");
    String policy = record.text("policy_id");
    boolean allow = record.isTrue("allow");
    return new Line(
        "/console/decisions/" + record.text("record_id"),
        agent,
        agentName(agent, record.text("org_id")),
        policy,
        erased ? "A decision" : what(policy, record.child("details").child("context")),
        erased
            ? "Its content was erased; its place in the log is kept."
            : allow
                ? "Every check passed."
                : Formats.clip(decision.map(d -> d.reason().message()).orElse(""), 300),
        decision.map(d -> d.reason().code()).orElse(""),
        allow,
        decision.filter(d -> d.validity().dryRun()).isPresent(),
        erased,
        Formats.when(record.text("at"), now));
  }

  /** Returns the passport's name, or its id if it is not one of the organization's. */
  public String agentName(String agentId, String org) {
    return AgentId.hosted(agentId)
        .flatMap(passports::find)
        .filter(passport -> !org.isEmpty() && passport.owner().equals(new OrgId(org)))
        .map(Passport::name)
        .map(name -> Formats.clip(name, 60))
        .orElse("");
  }

  /** Returns the name of a built-in pack; else its id. */
  public String policyName(String id) {
    return catalog.find(id).map(PolicyPack::name).orElse(id);
  }

  /** Returns the action in a few words: {@code Run a shell command: git push}. */
  public String what(String policy, JsonObject context) {
    String name = policyName(policy);
    return Stream.concat(
            TELLING.stream(), context.names().stream().filter(field -> !SILENT.contains(field)))
        .flatMap(field -> context.string(field).stream())
        .filter(text -> !text.isBlank())
        .findFirst()
        .map(text -> name + ": " + Formats.clip(text.strip(), LONG))
        .orElse(name);
  }
}
