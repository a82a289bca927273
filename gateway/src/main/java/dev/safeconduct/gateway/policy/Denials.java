package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Decision;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.RpcError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answers of the gateway to requests that may not reach the server. */
public final class Denials {
  /** The member of {@code _meta} with the decision's id. */
  public static final String DECISION_ID = "safeconduct/decision_id";

  /** The member of {@code _meta} with the ids of all decisions, if mappings decided too. */
  public static final String DECISION_IDS = "safeconduct/decision_ids";

  /** What the names of our members of {@code _meta} begin with. */
  public static final String PREFIX = "safeconduct/";

  private static final String VERSION = "io.modelcontextprotocol/protocolVersion";

  private Denials() {}

  /** Whether the request is of the revision 2026-07-28 or later: it carries its version. */
  public static boolean isStateless(Message request) {
    return request.meta().containsKey(VERSION);
  }

  /** Returns the result of a denied call of a tool: an error that the model can read. */
  public static Message ofTool(Message request, String tool, CallDecision.Denied denied) {
    String text = denied.reason() + " (" + denied.code() + ")";
    Decision.Approval approval = denied.approval();
    if (denied.isHidden()) {
      text = "Unknown tool: " + tool;
    } else if (approval != null) {
      text =
          "A person has to approve this call first: "
              + page(approval)
              + " (until "
              + approval.expiresAt()
              + "). After that, make exactly the same call again.";
    } else {
      text = "Denied by policy, do not try again in another way: " + text;
    }
    var meta = new LinkedHashMap<String, @Nullable Object>();
    details(denied).forEach((name, value) -> meta.put(PREFIX + name, value));
    var result = new LinkedHashMap<String, @Nullable Object>();
    if (isStateless(request)) {
      result.put("resultType", "complete");
    }
    result.put("content", List.of(Map.of("type", "text", "text", text)));
    result.put("isError", true);
    result.put("_meta", meta);
    return Message.result(request.id(), result);
  }

  /** Returns the error of a denied request. */
  public static Message error(Message request, CallDecision.Denied denied) {
    String tool = String.valueOf(request.params().get("name"));
    return Message.error(
        request.id(),
        denied.isHidden() && request.method().equals("tools/call")
            ? new RpcError(RpcError.INVALID_PARAMS, "Unknown tool: " + tool, details(denied))
            : new RpcError(
                RpcError.DENIED,
                "Denied by policy: " + denied.reason() + " (" + denied.code() + ")",
                details(denied)));
  }

  /** Returns the error of a request without a decision. */
  public static Message unavailable(Message request) {
    return Message.error(
        request.id(),
        RpcError.of(
            RpcError.INTERNAL_ERROR,
            "Safeconduct gave no decision, so the request did not reach the server."));
  }

  /** Returns where a person answers; the answer of the service names where a program looks. */
  private static String page(Decision.Approval approval) {
    return approval.link().replace("/api/approvals/", "/console/approvals/");
  }

  private static Map<String, @Nullable Object> details(CallDecision.Denied denied) {
    var details = new LinkedHashMap<String, @Nullable Object>();
    if (denied.decisionId() != null) {
      details.put("decision_id", denied.decisionId());
    }
    details.put("code", denied.code());
    details.put("reason", denied.reason());
    Decision.Approval approval = denied.approval();
    if (approval != null) {
      details.put(
          "approval",
          Map.of(
              "approval_id",
              approval.approvalId(),
              "link",
              page(approval),
              "expires_at",
              approval.expiresAt()));
    }
    return details;
  }
}
