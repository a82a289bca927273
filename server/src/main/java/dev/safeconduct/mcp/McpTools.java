package dev.safeconduct.mcp;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.people.ActingOrganization;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tools. None of them decides an action: {@code request_approval} alone asks for a decision,
 * and only where the decision will be a deny that opens an approval.
 */
public final class McpTools {
  static final String URI_PREFIX = "safeconduct://policies/";

  private static final String POLICY_ID = "policy_id";
  private static final List<String> OF_PASSPORT =
      List.of(
          "agent_id",
          "name",
          "description",
          "status",
          "assurance_level",
          "capabilities",
          "limits",
          "regions",
          "expires_at");

  private final FindPassport passports;
  private final AuditLog log;
  private final PolicyCatalog packs;
  private final PackCache own;
  private final ActingOrganization organization;

  /**
   * @param own the packs of organizations
   */
  public McpTools(
      FindPassport passports,
      AuditLog log,
      PolicyCatalog packs,
      PackCache own,
      ActingOrganization organization) {
    this.passports = passports;
    this.log = log;
    this.packs = packs;
    this.own = own;
    this.organization = organization;
  }

  /**
   * Calls the tool.
   *
   * @throws dev.safeconduct.error.ProblemException for arguments that are not valid, or what they
   *     name is not known
   * @throws RpcException for a tool that is not in the list
   */
  JsonObject call(JsonObject params, JsonArray tools, Asker asker) throws RpcException {
    String name = params.string("name").orElse("");
    JsonObject schema =
        tools.elements().stream()
            .map(JsonObject.class::cast)
            .filter(tool -> tool.string("name").equals(Optional.of(name)))
            .findFirst()
            .flatMap(tool -> tool.object("inputSchema"))
            .orElseThrow(() ->
                new RpcException(
                    200, RpcException.INVALID_PARAMS, "There is no such tool; see tools/list."));
    Members arguments =
        Members.of(params).members("arguments").orElse(Members.of(JsonObject.EMPTY));
    arguments.only(schema.object("properties").orElseThrow().names());
    for (String required : schema.array("required").orElse(JsonArray.EMPTY).texts()) {
      if (!arguments.has(required)) {
        throw arguments.missing(required);
      }
    }
    JsonObject output =
        switch (name) {
          case "check_action" -> dryRunResult(dryRun(arguments, asker));
          case "request_approval" -> requestApproval(arguments, asker);
          case "explain_decision" -> explain(arguments.text("decision_id").orElseThrow(), asker);
          case "my_passport" -> passport(asker);
          case "list_policies" -> policies(arguments.flag("all").orElse(false), asker);
          default -> throw new IllegalStateException("a tool without code: " + name);
        };
    return result(output, false);
  }

  /** Returns the result with the output for programs, and as text for models. */
  static JsonObject result(JsonObject output, boolean isError) {
    JsonObject text =
        JsonObject.builder().put("type", "text").put("text", Json.text(output)).build();
    return JsonObject.builder()
        .put("content", JsonArray.of(text))
        .put("structuredContent", output)
        .put("isError", isError)
        .build();
  }

  private static JsonObject dryRun(Members arguments, Asker asker) {
    return ask(arguments, asker, "dry_run=true&explain=true");
  }

  private static JsonObject ask(Members arguments, Asker asker, String query) {
    JsonObject context = arguments.members("context").orElseThrow().object();
    return asker
        .api()
        .ask(
            arguments.text(POLICY_ID).orElseThrow(),
            query,
            JsonObject.builder()
                .put("agent_id", asker.requiredAgent())
                .put("context", context)
                .putIfPresent("approval_id", arguments.text("approval_id"))
                .build());
  }

  private static JsonObject dryRunResult(JsonObject answer) {
    boolean allowed = answer.isTrue("allow");
    JsonObject reason = reason(answer);
    JsonObject.Builder output =
        JsonObject.builder()
            .put(
                "summary",
                "A dry run, not a decision: the action would be "
                    + (allowed ? "allowed." : "refused. " + reason.string("message").orElse("")))
            .put("would_allow", allowed)
            .put("is_decision", false)
            .putAll(named(reason));
    for (JsonValue each : answer.array("trace").orElse(JsonArray.EMPTY)) {
      if (each instanceof JsonObject check && !check.isTrue("passed")) {
        output.put("failed_check", check.without("passed"));
      }
    }
    return output
        .put(
            "next",
            allowed
                ? "Do the action the usual way; it is decided then, and limits may be used up by"
                    + " then."
                : needsApproval(reason)
                    ? "Call request_approval with the same policy_id and context."
                    : "Change the action so that the check passes, or do without it. Ask the user"
                        + " if neither is possible.")
        .putAll(answer.only(List.of(POLICY_ID, "agent_id")))
        .putIfPresent("dry_run_id", answer.string("decision_id"))
        .build();
  }

  /** Asks for the decision only if it will be a deny because it has no approval. */
  private static JsonObject requestApproval(Members arguments, Asker asker) {
    JsonObject dryRun = dryRun(arguments, asker);
    if (dryRun.isTrue("allow")) {
      return approval(
          arguments.has("approval_id") ? "approved" : "not_needed",
          arguments.has("approval_id")
              ? "The action is approved. Do it with this approval_id and exactly this context."
              : "The action needs no approval: it would be allowed now.",
          dryRun);
    }
    if (!needsApproval(reason(dryRun))) {
      return approval(
          "not_possible",
          "An approval would not help. " + reason(dryRun).string("message").orElse(""),
          dryRun);
    }
    JsonObject asked =
        dryRun.has("approval") || arguments.has("approval_id") ? dryRun : ask(arguments, asker, "");
    boolean waiting = asked.has("approval");
    return approval(
        waiting ? "pending" : "refused",
        waiting
            ? "The owner has to answer. Give the link to the user; do not do the action before."
            : reason(asked).string("message").orElse(""),
        asked);
  }

  private static JsonObject approval(String status, String summary, JsonObject answer) {
    JsonObject waiting = answer.object("approval").orElse(JsonObject.EMPTY);
    return JsonObject.builder()
        .put("summary", summary)
        .put("status", status)
        .putAll(waiting.only(List.of("approval_id", "expires_at")))
        .putIfPresent("link", waiting.string("approval_url"))
        .putAll(named(reason(answer)))
        .putAll(answer.only(List.of(POLICY_ID, "agent_id", "decision_id")))
        .build();
  }

  private static boolean needsApproval(JsonObject reason) {
    return ReasonCode.APPROVAL_REQUIRED.is(reason.string("code").orElse(""));
  }

  private static JsonObject reason(JsonObject answer) {
    return answer.array("reasons").orElse(JsonArray.EMPTY).elements().stream()
        .map(JsonObject.class::cast)
        .findFirst()
        .orElse(JsonObject.EMPTY);
  }

  private static JsonObject named(JsonObject reason) {
    return JsonObject.builder()
        .putIfPresent("code", reason.string("code"))
        .putIfPresent("reason", reason.string("message"))
        .putIfPresent("rule", reason.string("rule"))
        .build();
  }

  /** A key that is not bound to the agent needs the scope of the audit log. */
  private JsonObject explain(String id, Asker asker) {
    Rights rights = Rights.of(asker.caller());
    if (rights.boundTo().isEmpty()) {
      rights.demand(Scope.READ_AUDIT);
    }
    StoredRecord stored =
        AuditLog.recordId(id)
            .flatMap(known -> log.find(rights.tenant(), known))
            .filter(record -> record.entry().kind() == RecordKind.DECISION)
            .filter(record -> record.entry().agent().filter(rights::reaches).isPresent())
            .filter(record -> !record.commitment().isErased())
            .orElseThrow(() ->
                new Problem.NotFound(
                        "No such decision about this passport is known.",
                        "decision_not_found",
                        Map.of())
                    .toException());
    JsonObject decision = Json.own(stored.entry().body());
    JsonObject reason = reason(decision);
    String policy = stored.entry().policyId().orElse("");
    JsonObject.Builder output =
        JsonObject.builder()
            .put(
                "summary",
                (decision.isTrue("dry_run") ? "A dry run. " : "")
                    + (decision.isTrue("allow") ? "Allowed. " : "Refused. ")
                    + reason.string("message").orElse(""))
            .put("allow", decision.isTrue("allow"))
            .putAll(named(reason))
            .putIfPresent(
                "rule_description", reason.string("rule").flatMap(rule -> described(policy, rule)))
            .put("at", IsoInstant.millis(stored.entry().at()));
    if (packs.find(policy).isPresent()) {
      output.put("policy", URI_PREFIX + policy);
    }
    return output
        .putAll(decision.only(List.of(POLICY_ID, "agent_id", "decision_id", "dry_run")))
        .build();
  }

  private Optional<String> described(String policy, String rule) {
    return packs.find(policy).flatMap(pack -> pack.document().array("evaluation_rules")).stream()
        .flatMap(rules -> rules.elements().stream())
        .map(JsonObject.class::cast)
        .filter(each -> each.string("name").equals(Optional.of(rule)))
        .findFirst()
        .flatMap(each -> each.string("description"));
  }

  private JsonObject passport(Asker asker) {
    return passports
        .run(asker.caller(), FindPassport.named(asker.requiredAgent()))
        .document()
        .only(OF_PASSPORT);
  }

  /** Lists the policies that one of the passport's capabilities permits, or all. */
  private JsonObject policies(boolean all, Asker asker) {
    Optional<Capabilities> held =
        all || asker.agent().isEmpty()
            ? Optional.empty()
            : passport(asker).array("capabilities").map(Capabilities::new);
    var listed = new ArrayList<PolicyPack>(packs.all());
    listed.addAll(own.active(organization.of(Rights.of(asker.caller()))));
    return JsonObject.EMPTY.with(
        "policies",
        new JsonArray(
            listed.stream()
                .filter(pack -> held.isEmpty() || held.get().holdsAny(pack.capabilities()))
                .map(this::listed)
                .toList()));
  }

  /** Of an organization's own pack only its administrators read more than the name. */
  private JsonValue listed(PolicyPack pack) {
    String id = pack.id().value();
    JsonObject.Builder entry = JsonObject.builder().put(POLICY_ID, id).put("name", pack.name());
    if (packs.find(id).isEmpty()) {
      return entry.build();
    }
    JsonObject document = pack.document();
    return entry
        .putIfPresent("description", document.string("description"))
        .put("required_fields", document.array("required_fields").orElse(JsonArray.EMPTY))
        .put("policy", URI_PREFIX + id)
        .build();
  }
}
