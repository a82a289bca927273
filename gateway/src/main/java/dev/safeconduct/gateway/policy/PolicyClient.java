package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Action;
import dev.safeconduct.client.Canonical;
import dev.safeconduct.client.CheckOptions;
import dev.safeconduct.client.Decision;
import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.Mapping;
import dev.safeconduct.gateway.config.ServerConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides what may pass to one server; sessions of all clients share it. Each call gets decisions
 * of its own: nothing is used twice. Without a decision nothing passes.
 */
public final class PolicyClient {
  private static final String POLICY = "mcp.tool.execute.v1";

  private final Safeconduct service;
  private final ServerConfig server;
  private final boolean denyAsError;
  private final Consumer<String> log;
  private final NameFilter names;
  private final PendingApprovals approvals = new PendingApprovals();
  private final @Nullable Pins pins;

  /**
   * Makes the policy client of a server.
   *
   * @param service a client without a store of allows
   * @param pins where its tools are pinned; null if they are not
   * @param denyAsError whether a denied call is answered with a JSON-RPC error
   * @param log takes one line for each denied request; never an argument's value
   */
  public PolicyClient(
      Safeconduct service,
      ServerConfig server,
      @Nullable Pins pins,
      boolean denyAsError,
      Consumer<String> log) {
    this.service = service;
    this.server = server;
    this.pins = pins;
    this.denyAsError = denyAsError;
    this.log = log;
    this.names = new NameFilter(service, server, this::context);
  }

  /**
   * Decides on a call of a tool: by the policy of MCP tools with all arguments, then by each of the
   * tool's mappings. All must allow.
   *
   * @param session the client's session, part of the question
   */
  public CallDecision call(
      String agentId, String session, String tool, Map<String, @Nullable Object> arguments) {
    if (server.isOtherSpelling(tool)) {
      return refuseUnknown(tool);
    }
    Question first;
    try {
      first = new Question(agentId, POLICY, context(session, tool, arguments), "");
    } catch (IllegalArgumentException e) {
      return refuseNotCanonical(tool);
    }
    var questions = new ArrayList<>(List.of(first));
    String fault = null;
    try {
      questions.addAll(mapped(first, tool, arguments));
    } catch (IllegalArgumentException e) {
      fault = String.valueOf(e.getMessage());
    }
    CallDecision refused = refusedBeforeApprovals(tool, questions);
    if (refused != null) {
      return refused;
    }
    var ids = new ArrayList<String>();
    for (Question question : questions) {
      CallDecision decided = ask(tool, question);
      if (!(decided instanceof CallDecision.Allowed(String id, _))) {
        return decided;
      }
      ids.add(id);
    }
    return fault == null
        ? new CallDecision.Allowed(ids.removeFirst(), ids)
        : refuse(tool, "gateway.invalid_arguments", fault);
  }

  private List<Question> mapped(
      Question call, String tool, Map<String, @Nullable Object> arguments) {
    var questions = new ArrayList<Question>();
    for (Mapping mapping : server.tools().getOrDefault(tool, List.of())) {
      try {
        for (Map<String, @Nullable Object> each : mapping.contexts(arguments)) {
          // An approval is for this place in this call alone: others may give the same question.
          String place = call.digest() + " " + questions.size();
          questions.add(new Question(call.agentId(), mapping.policy(), each, place));
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "The arguments give no question for " + mapping.policy() + ": " + e.getMessage() + ".",
            e);
      }
    }
    return questions;
  }

  /**
   * Returns the denial of a question that has no approval yet, if others of the call may have one;
   * else null. A question uses its approval up, so it is asked when all others would be allowed.
   */
  private @Nullable CallDecision refusedBeforeApprovals(String tool, List<Question> questions) {
    if (questions.size() == 1
        || questions.stream().allMatch(each -> approvals.get(each.key()) == null)) {
      return null;
    }
    for (Question question : questions) {
      if (!check(question, CheckOptions.none().withDryRun()).allow()) {
        CallDecision decided = ask(tool, question);
        return decided instanceof CallDecision.Allowed ? new CallDecision.Unavailable() : decided;
      }
    }
    return null;
  }

  /**
   * Decides on input for a task that a call of the tool started: by the policy of MCP tools, as a
   * call with this input. The tool's mappings decided on the call's arguments, which do not change.
   */
  public CallDecision input(
      String agentId, String session, String tool, Map<String, @Nullable Object> input) {
    try {
      return ask(tool, new Question(agentId, POLICY, context(session, tool, input), ""));
    } catch (IllegalArgumentException e) {
      return refuseNotCanonical(tool);
    }
  }

  /** Returns which of the tools a call could get: by name, without touching a counter. */
  public NameFilter names() {
    return names;
  }

  /** Returns where the server's tools are pinned; null if they are not. */
  public @Nullable Pins pins() {
    return pins;
  }

  public ServerConfig server() {
    return server;
  }

  public boolean deniesAsError() {
    return denyAsError;
  }

  /** Writes a line to the log. */
  public void log(String line) {
    log.accept(line);
  }

  private Map<String, @Nullable Object> context(
      String session, String tool, Map<String, @Nullable Object> arguments) {
    var context = new LinkedHashMap<String, @Nullable Object>();
    context.put("server", server.inQuestions());
    context.put("tool", tool);
    context.put("parameters", arguments);
    context.put("session_id", session);
    return context;
  }

  /**
   * A question to a policy.
   *
   * @param place the digest of the call that the question is a part of, if it is not all of it, and
   *     which part
   */
  private record Question(
      String agentId,
      String policy,
      Map<String, @Nullable Object> context,
      String place,
      String digest) {
    /** Throws IllegalArgumentException if the context has no canonical form. */
    Question(String agentId, String policy, Map<String, @Nullable Object> context, String place) {
      this(agentId, policy, context, place, Canonical.digest(context));
    }

    /** Returns what an approval is for. */
    String key() {
      return agentId + " " + policy + " " + digest + " " + place;
    }
  }

  private Decision check(Question question, CheckOptions options) {
    String approvalId = approvals.get(question.key());
    return service.check(
        action(question.agentId(), question.policy(), question.context()),
        approvalId == null ? options : options.withApprovalId(approvalId));
  }

  private CallDecision ask(String tool, Question question) {
    Decision decision = check(question, CheckOptions.none());
    approvals.note(question.key(), decision);
    String policy = question.policy();
    String id = decision.decisionId();
    if (decision.allow() && id != null) {
      return new CallDecision.Allowed(id, List.of());
    }
    Integer status = decision.status();
    // The question itself is at fault: too large, too deep, or about a policy that is not there.
    boolean refused =
        id == null && status != null && (status == 400 || status == 404 || status == 413);
    String code = refused ? "gateway." + decision.errorCode() : decision.reason().code();
    log.accept(line("denied", tool, code) + " decision=" + id + " context=" + question.digest());
    if (refused) {
      return new CallDecision.Denied(
          code, "Safeconduct does not accept the question.", false, null, null);
    }
    if (id == null) {
      return new CallDecision.Unavailable();
    }
    return new CallDecision.Denied(
        decision.reason().code(),
        decision.reason().message(),
        NameFilter.isByName(policy, decision.reason().code()),
        id,
        decision.isApprovalRequired() ? decision.approval() : null);
  }

  private CallDecision refuseNotCanonical(String tool) {
    return refuse(tool, "gateway.invalid_arguments", "The arguments have no canonical form.");
  }

  /** Refuses a call without a decision, and says so in the log. */
  public CallDecision.Denied refuse(String tool, String code, String reason) {
    log.accept(line("refused", tool, code));
    return new CallDecision.Denied(code, reason, false, null, null);
  }

  /** Refuses a call of a tool that the server does not list, as one of a hidden tool. */
  public CallDecision.Denied refuseUnknown(String tool) {
    CallDecision.Denied refused =
        refuse(tool, "gateway.unknown_tool", "The server lists no such tool.");
    return new CallDecision.Denied(refused.code(), refused.reason(), true, null, null);
  }

  /** Returns a text of somebody else for the log: printable ASCII, at most 200 characters. */
  public static String printable(String text) {
    var safe = new StringBuilder();
    text.codePoints()
        .limit(200)
        .forEach(c -> safe.append(c > ' ' && c < 127 ? Character.toString(c) : "?"));
    return safe.toString();
  }

  private String line(String what, String tool, String code) {
    return what + " server=" + server.inQuestions() + " tool=" + printable(tool) + " code=" + code;
  }

  @SuppressWarnings("NullAway") // a member may be null, which the SDK's type does not say
  static Action action(String agentId, String policy, Map<String, @Nullable Object> context) {
    return Action.of(agentId, policy, context);
  }
}
