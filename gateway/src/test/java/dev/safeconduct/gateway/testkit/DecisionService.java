package dev.safeconduct.gateway.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.safeconduct.client.Canonical;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A service that signs its decisions, and decides as the test says. */
public final class DecisionService implements AutoCloseable {
  private static final String KID = "oap:registry:decision-1";

  private final HttpServer server;
  private final KeyPair pair;
  private final AtomicInteger count = new AtomicInteger();
  private final List<Map<String, @Nullable Object>> asked = new CopyOnWriteArrayList<>();
  private final Set<String> approved = ConcurrentHashMap.newKeySet();
  private volatile Rule rule = context -> null;

  /** Decides on a context. */
  @FunctionalInterface
  public interface Rule {
    /** Returns the code of the reason to deny; null to allow. */
    @Nullable String deny(Map<String, @Nullable Object> context);
  }

  /** Starts it on a free port; it allows everything. */
  public DecisionService() throws IOException, GeneralSecurityException {
    pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  /** Returns its address. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Sets what it denies. */
  public void decide(Rule next) {
    rule = next;
  }

  /** Approves once. */
  public void approve(String approvalId) {
    approved.add(approvalId);
  }

  /** Returns the contexts that it was asked for, with {@code agent_id} and {@code approval_id}. */
  public List<Map<String, @Nullable Object>> asked() {
    return List.copyOf(asked);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      Map<String, @Nullable Object> body =
          Message.objectOrEmpty(parse(exchange.getRequestBody().readAllBytes()));
      Map<String, @Nullable Object> answer = new LinkedHashMap<>();
      if (path.equals("/jwks.json")) {
        answer.put("keys", List.of(key()));
      } else if (path.equals("/api/verify/batch")) {
        var decisions = new ArrayList<@Nullable Object>();
        if (body.get("evaluations") instanceof List<?> questions) {
          for (Object question : questions) {
            Map<String, @Nullable Object> each = Message.objectOrEmpty(question);
            decisions.add(decision(String.valueOf(each.get("policy_id")), each, true));
          }
        }
        answer.put("decisions", decisions);
      } else {
        Map<String, @Nullable Object> question =
            new LinkedHashMap<>(Message.objectOrEmpty(body.get("context")));
        question.put("agent_id", body.get("agent_id"));
        if (body.containsKey("approval_id")) {
          question.put("approval_id", body.get("approval_id"));
        }
        boolean isDryRun =
            String.valueOf(exchange.getRequestURI().getQuery()).contains("dry_run=true");
        if (!isDryRun) {
          asked.add(question);
        }
        answer = decision(path.substring(path.lastIndexOf('/') + 1), body, isDryRun);
      }
      byte[] text = Json.write(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private static @Nullable Object parse(byte[] body) throws IOException {
    return body.length == 0 ? null : Json.parse(body);
  }

  private Map<String, Object> key() {
    byte[] encoded = pair.getPublic().getEncoded();
    byte[] raw = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    String x = Base64.getUrlEncoder().withoutPadding().encodeToString(raw);
    return Map.of("kid", KID, "kty", "OKP", "crv", "Ed25519", "x", x);
  }

  private Map<String, @Nullable Object> decision(
      String policy, Map<String, @Nullable Object> question, boolean isDryRun) {
    Map<String, @Nullable Object> context = Message.objectOrEmpty(question.get("context"));
    String denied = rule.deny(context);
    Object approval = question.get("approval_id");
    if (approved.contains(String.valueOf(approval))) {
      denied = null;
      if (!isDryRun) {
        approved.remove(String.valueOf(approval));
      }
    }
    var decision = new LinkedHashMap<String, @Nullable Object>();
    decision.put("decision_id", "dec_" + count.incrementAndGet());
    decision.put("agent_id", question.get("agent_id"));
    decision.put("policy_id", policy);
    decision.put("allow", denied == null);
    decision.put(
        "reasons",
        List.of(Map.of("code", denied == null ? "oap.allowed" : denied, "message", "Test.")));
    decision.put("expires_in", 0);
    decision.put("expires_at", Instant.now().toString());
    decision.put("dry_run", isDryRun);
    decision.put("context_digest", Canonical.digest(context));
    decision.put("kid", KID);
    if ("oap.approval_required".equals(denied)) {
      decision.put(
          "approval",
          Map.of("approval_id", "apr_" + count.get(), "expires_at", Instant.now().toString()));
    }
    String signature = Base64.getEncoder().encodeToString(sign(Canonical.of(decision)));
    decision.put("signature", "ed25519:" + signature);
    return decision;
  }

  private byte[] sign(byte[] text) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(pair.getPrivate());
      signature.update(text);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
