package dev.safeconduct.servlet;

import dev.safeconduct.client.Action;
import dev.safeconduct.client.Decision;
import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.client.Verification.TokenExpectation;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request through only if the agent that calls may do what it asks for. Answers 401 if the
 * request names no agent, 403 if it is denied and 503 if the service does not answer.
 *
 * <p>The agent is named by {@code X-Agent-Passport-Id}. A header is a claim: require a decision
 * token, or authenticate the caller before, where others can reach this address.
 */
public final class SafeconductFilter implements Filter {
  /** The attribute of a request that holds the {@link VerifiedAgent}. */
  public static final String ATTRIBUTE = "dev.safeconduct.agent";

  private final Safeconduct client;
  private final String policy;
  private final Function<HttpServletRequest, Map<String, ?>> context;
  private final boolean requireToken;
  private final @Nullable String issuer;
  private final @Nullable String audience;

  /**
   * Makes a filter that accepts the agent's id, or a decision token.
   *
   * @param policy the policy that decides
   * @param context what it decides about
   */
  public SafeconductFilter(
      Safeconduct client, String policy, Function<HttpServletRequest, Map<String, ?>> context) {
    this(client, policy, context, false, null, null);
  }

  private SafeconductFilter(
      Safeconduct client,
      String policy,
      Function<HttpServletRequest, Map<String, ?>> context,
      boolean requireToken,
      @Nullable String issuer,
      @Nullable String audience) {
    this.client = client;
    this.policy = policy;
    this.context = context;
    this.requireToken = requireToken;
    this.issuer = issuer;
    this.audience = audience;
  }

  /**
   * Returns this filter for callers that bring a decision token in {@code Safeconduct-Token}.
   *
   * @param issuer the service's public address; null to accept any
   * @param audience your organization's id; null to accept any
   */
  public SafeconductFilter requireToken(@Nullable String issuer, @Nullable String audience) {
    return new SafeconductFilter(client, policy, context, true, issuer, audience);
  }

  /**
   * Who calls.
   *
   * @param decision the decision that allows the request; null if a token does
   */
  public record VerifiedAgent(String agentId, @Nullable Decision decision) {}

  private record Refusal(int status, String code, String message, @Nullable Decision decision) {}

  /** Why the service did not answer, and where it is, is not for the caller: see onUnavailable. */
  private static final Refusal UNDECIDED =
      new Refusal(
          503,
          "client.unavailable",
          "The request could not be decided. Check the agent id, or try again later.",
          null);

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)) {
      throw new ServletException("only HTTP requests can be verified");
    }
    Object found = verify(http);
    if (found instanceof VerifiedAgent agent) {
      request.setAttribute(ATTRIBUTE, agent);
      chain.doFilter(request, response);
    } else {
      refuse(answer, (Refusal) found);
    }
  }

  /** Returns the agent, or the refusal. */
  private Object verify(HttpServletRequest request) {
    try {
      List<String> agents = Collections.list(request.getHeaders("X-Agent-Passport-Id"));
      List<String> tokens = Collections.list(request.getHeaders("Safeconduct-Token"));
      if (agents.size() > 1 || tokens.size() > 1) {
        return new Refusal(400, "client.header_repeated", "Send each header once.", null);
      }
      String agent = agents.isEmpty() || agents.get(0).isBlank() ? null : agents.get(0).strip();
      if (tokens.isEmpty() && requireToken) {
        return new Refusal(
            401, "client.token_missing", "Send a decision token in Safeconduct-Token.", null);
      }
      if (tokens.isEmpty() && agent == null) {
        return new Refusal(
            401, "client.agent_missing", "Send the agent id in X-Agent-Passport-Id.", null);
      }
      Action action = Action.of(agent, policy, context.apply(request));
      return tokens.isEmpty() ? ask(action, String.valueOf(agent)) : check(tokens.get(0), action);
    } catch (RuntimeException e) {
      return UNDECIDED;
    }
  }

  private Object ask(Action action, String agent) {
    Decision decision = client.check(action);
    if (decision.allow()) {
      return new VerifiedAgent(agent, decision);
    }
    return decision.decisionId() == null
        ? UNDECIDED
        : new Refusal(403, decision.reason().code(), decision.reason().message(), decision);
  }

  private Object check(String token, Action action) {
    TokenExpectation now = TokenExpectation.of(action);
    Optional<Map<String, @Nullable Object>> claims =
        client.verifyToken(
            token,
            new TokenExpectation(
                now.contextDigest(), now.agentId(), policy, issuer, audience, now.now()));
    return claims.isPresent() && claims.get().get("sub") instanceof String agent
        ? new VerifiedAgent(agent, null)
        : new Refusal(
            403, "client.token_not_valid", "The decision token does not allow this request.", null);
  }

  private static void refuse(HttpServletResponse response, Refusal refusal) throws IOException {
    Decision decision = refusal.decision();
    Decision.Approval approval = decision == null ? null : decision.approval();
    response.setStatus(refusal.status());
    response.setContentType("application/problem+json");
    response.setCharacterEncoding("UTF-8");
    response.setHeader("Cache-Control", "no-store");
    response
        .getWriter()
        .write(
            "{\"title\":\"Denied\",\"status\":"
                + refusal.status()
                + member("code", refusal.code())
                + member("detail", refusal.message())
                + member("decision_id", decision == null ? null : decision.decisionId())
                + member("approval", approval == null ? null : approval.link())
                + "}");
  }

  private static String member(String name, @Nullable String value) {
    if (value == null) {
      return "";
    }
    var text = new StringBuilder(",\"" + name + "\":\"");
    value
        .chars()
        .forEach(c -> {
          if (c < ' ' || c == '"' || c == '\\' || Character.isSurrogate((char) c) || c > 126) {
            text.append("\\u%04x".formatted(c));
          } else {
            text.append((char) c);
          }
        });
    return text.append('"').toString();
  }
}
