package dev.safeconduct.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A service that allows commands that begin with {@code echo}, for tests of adapters. */
public final class EchoService implements AutoCloseable {
  private static final String AGENT = "ap_00000000000000000000000000000001";
  private static final String KID = "oap:registry:%s-1";

  private final HttpServer server;
  private final KeyPair pair;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  /** Starts it on a free port. */
  public EchoService() throws IOException, GeneralSecurityException {
    pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Returns a client of it. */
  public Safeconduct client() {
    return Safeconduct.builder()
        .baseUrl("http://127.0.0.1:" + server.getAddress().getPort())
        .apiKey("sck_test")
        .agentId(AGENT)
        .timeout(Duration.ofSeconds(20))
        .build();
  }

  /** Returns a guard whose tool {@code shell} runs a command. */
  public ToolGuard guard() {
    return ToolGuard.builder(client()).tool("shell", EchoService::action).build();
  }

  /** Returns the action of the tool {@code shell}. */
  public static Action action(Map<String, ?> arguments) {
    return Action.of(
        "system.command.execute.v1", Map.of("command", ToolGuard.text(arguments, "command")));
  }

  /** Returns the agent that the client asks for. */
  public static String agent() {
    return AGENT;
  }

  /** Returns the commands that it was asked for. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Object answer;
      if (exchange.getRequestURI().getPath().equals("/jwks.json")) {
        answer = Map.of("keys", List.of(key("decision"), key("decision_token")));
      } else if (exchange.getRequestURI().getPath().startsWith("/api/usage/")) {
        asked.add(exchange.getRequestURI().getPath());
        answer = Map.of("status", "done");
      } else {
        byte[] body = exchange.getRequestBody().readAllBytes();
        answer = decide(exchange.getRequestURI().getPath(), Json.object(Json.parse(body)));
      }
      if ("reserve=true".equals(exchange.getRequestURI().getQuery())) {
        answer = Map.of("decision", answer, "reservation_id", "res_1");
      }
      byte[] text = Json.write(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private Map<String, Object> key(String purpose) {
    byte[] encoded = pair.getPublic().getEncoded();
    byte[] raw = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    return Map.of("kid", KID.formatted(purpose), "kty", "OKP", "crv", "Ed25519", "x", url(raw));
  }

  private Map<String, @Nullable Object> decide(String path, Map<String, @Nullable Object> body) {
    Map<String, @Nullable Object> context = Json.object(body.get("context"));
    String command = Json.text(context, "command");
    asked.add(command);
    boolean allow = command.startsWith("echo");
    var decision = new LinkedHashMap<String, @Nullable Object>();
    decision.put("decision_id", "dec_" + asked.size());
    decision.put("agent_id", body.get("agent_id"));
    decision.put("policy_id", path.substring(path.lastIndexOf('/') + 1));
    decision.put("allow", allow);
    decision.put(
        "reasons",
        List.of(
            Map.of("code", allow ? "oap.allowed" : "oap.command_not_allowed", "message", "Test.")));
    decision.put("expires_in", 0);
    decision.put("expires_at", Instant.now().toString());
    decision.put("dry_run", false);
    decision.put("context_digest", Canonical.digest(context));
    decision.put("kid", KID.formatted("decision"));
    String signature = Base64.getEncoder().encodeToString(sign(Canonical.of(decision)));
    decision.put("signature", "ed25519:" + signature);
    return decision;
  }

  /** Returns a decision token that allows the command. */
  public String token(String command) {
    long now = Instant.now().getEpochSecond();
    byte[] header =
        Json.write(
            Map.of("alg", "EdDSA", "typ", "decision+jwt", "kid", KID.formatted("decision_token")));
    byte[] claims =
        Json.write(
            Map.of(
                "sub",
                AGENT,
                "allow",
                true,
                "policy_id",
                "system.command.execute.v1",
                "context_digest",
                Canonical.digest(Map.of("command", command)),
                "iat",
                now,
                "exp",
                now + 30));
    String signed = url(header) + "." + url(claims);
    return signed + "." + url(sign(signed.getBytes(StandardCharsets.US_ASCII)));
  }

  private byte[] sign(byte[] data) {
    try {
      Signature signer = Signature.getInstance("Ed25519");
      signer.initSign(pair.getPrivate());
      signer.update(data);
      return signer.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String url(byte[] data) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(data);
  }
}
