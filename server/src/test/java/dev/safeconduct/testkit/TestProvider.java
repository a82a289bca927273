package dev.safeconduct.testkit;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.safeconduct.config.Pem;
import dev.safeconduct.text.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An identity provider that also lies on demand: it signs tokens with any algorithm and any claims,
 * which no provider for tests from a library does.
 */
public final class TestProvider implements AutoCloseable {
  public static final String CLIENT = "safeconduct-console";
  public static final String SECRET = "the-secret-of-the-client";

  private final HttpServer server;
  private final Map<String, Code> codes = new ConcurrentHashMap<>();
  private final AtomicInteger keyReads = new AtomicInteger();
  private volatile ECKey key = newKey();
  private volatile Map<String, Object> metadata = Map.of();
  private volatile Map<String, Object> userInfo = Map.of();
  private final AtomicInteger metadataReads = new AtomicInteger();
  private volatile CountDownLatch arrived = new CountDownLatch(0);
  private volatile CountDownLatch held = new CountDownLatch(0);
  private volatile Fault fault = new Fault("", 0, "");
  private volatile boolean down;

  private record Fault(String path, int status, String error) {}

  /** What the person's browser carries from the authorization endpoint to the token endpoint. */
  private record Code(Map<String, String> request, String idToken) {}

  public TestProvider() {
    this(Optional.empty());
  }

  private TestProvider(Optional<SSLContext> tls) {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls.isPresent()) {
        HttpsServer secure = HttpsServer.create(address, 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
        server = secure;
      } else {
        server = HttpServer.create(address, 0);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  /** A provider that shows the certificate of these files (see {@link TlsFiles}). */
  public static TestProvider overTls(Path folder) {
    try {
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(Pem.keyStore(folder.resolve("chain.pem"), folder.resolve("key.pem")), new char[0]);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(keys.getKeyManagers(), null, null);
      return new TestProvider(Optional.of(tls));
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  public String issuer() {
    return (server instanceof HttpsServer ? "https://localhost:" : "http://127.0.0.1:")
        + server.getAddress().getPort();
  }

  /** The settings of a service that is a client of this provider. */
  public Map<String, String> settings(Map<String, String> more) {
    var settings = new HashMap<String, String>();
    settings.put("OIDC_ISSUER", issuer());
    settings.put("OIDC_CLIENT_ID", CLIENT);
    settings.put("OIDC_CLIENT_SECRET", SECRET);
    settings.putAll(more);
    return settings;
  }

  /** Announces these members too, or in place of the usual ones. */
  public void announce(Map<String, Object> members) {
    metadata = Map.copyOf(members);
  }

  /** Answers with these claims at the UserInfo endpoint. */
  public void tellMore(Map<String, Object> claims) {
    userInfo = Map.copyOf(claims);
  }

  /** Fails every request from now on, or no longer. */
  public void down(boolean fails) {
    down = fails;
  }

  /** Answers no request for metadata until it is released; returns how many there were. */
  public int hold() {
    arrived = new CountDownLatch(1);
    held = new CountDownLatch(1);
    return metadataReads();
  }

  /** Waits for a request that is held. */
  public void awaitHeld() {
    await(arrived);
  }

  public void release() {
    held.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody came");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** How often the metadata were read. */
  public int metadataReads() {
    return metadataReads.get();
  }

  /** Answers every request for the path with this error. */
  public void fail(String path, int status, String error) {
    fault = new Fault(path, status, error);
  }

  /** Replaces the signing key. */
  public void rotate() {
    key = newKey();
  }

  /** How often the keys were read. */
  public int keyReads() {
    return keyReads.get();
  }

  public ECKey key() {
    return key;
  }

  /** The claims of somebody who is fine, to be changed. */
  public JWTClaimsSet.Builder claims(String subject) {
    Instant now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(issuer())
        .audience(CLIENT)
        .subject(subject)
        .issueTime(Date.from(now))
        .expirationTime(Date.from(now.plusSeconds(120)));
  }

  /** The claims of a notice that a session has ended. */
  public JWTClaimsSet.Builder notice() {
    return claims("nobody")
        .subject(null)
        .jwtID(UUID.randomUUID().toString())
        .claim("events", Map.of("http://schemas.openid.net/event/backchannel-logout", Map.of()));
  }

  /** Signs as the provider does. */
  public String signed(JWTClaimsSet claims) {
    return signed(claims, key);
  }

  /** Signs with any key, under its own id. */
  public static String signed(JWTClaimsSet claims, ECKey key) {
    try {
      var jwt =
          new SignedJWT(
              new JWSHeader.Builder(JWSAlgorithm.ES256)
                  .keyID(key.getKeyID())
                  .type(JOSEObjectType.JWT)
                  .build(),
              claims);
      jwt.sign(new ECDSASigner(key));
      return jwt.serialize();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  /** Authenticates with a secret that others know: the client's, or a public key. */
  public String hmac(JWTClaimsSet claims, byte[] secret) {
    try {
      var jwt =
          new SignedJWT(
              new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(key.getKeyID()).build(), claims);
      jwt.sign(new MACSigner(secret));
      return jwt.serialize();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  /** Does not sign at all. */
  public static String unsigned(JWTClaimsSet claims) {
    return new PlainJWT(claims).serialize();
  }

  /** A new key that the provider does not have. */
  public static ECKey newKey() {
    try {
      return new ECKeyGenerator(Curve.P_256)
          .keyID(UUID.randomUUID().toString())
          .algorithm(JWSAlgorithm.ES256)
          .generate();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  /** The parameters of an address. */
  public static Map<String, String> query(URI address) {
    return form(address.getRawQuery());
  }

  private static Map<String, String> form(String text) {
    var values = new HashMap<String, String>();
    for (String pair : text.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      values.put(
          URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
          URLDecoder.decode(parts.length == 2 ? parts[1] : "", StandardCharsets.UTF_8));
    }
    return values;
  }

  /**
   * The person signs in at the authorization endpoint; returns the code.
   *
   * @param change changes the claims of the ID token, which has the request's nonce
   */
  public String signIn(
      URI request, JWTClaimsSet.Builder claims, UnaryOperator<JWTClaimsSet> change) {
    JWTClaimsSet usual = claims.claim("nonce", query(request).get("nonce")).build();
    return code(request, signed(change.apply(usual)));
  }

  /** The same with a token that the test has made. */
  public String code(URI request, String idToken) {
    String code = UUID.randomUUID().toString();
    codes.put(code, new Code(query(request), idToken));
    return code;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      if (exchange.getRequestURI().getPath().startsWith("/.well-known/")) {
        metadataReads.incrementAndGet();
        arrived.countDown();
        await(held);
      }
      if (down) {
        send(exchange, 503, Map.of());
        return;
      }
      Fault failing = fault;
      if (failing.path().equals(exchange.getRequestURI().getPath())) {
        send(exchange, failing.status(), Map.of("error", failing.error()));
        return;
      }
      switch (exchange.getRequestURI().getPath()) {
        case "/.well-known/openid-configuration" -> send(exchange, 200, document());
        case "/jwks" -> {
          keyReads.incrementAndGet();
          send(exchange, 200, new JWKSet(key.toPublicJWK()).toJSONObject());
        }
        case "/token" -> token(exchange, form(body));
        case "/userinfo" -> send(exchange, 200, userInfo);
        default -> send(exchange, 404, Map.of());
      }
    }
  }

  private Map<String, Object> document() {
    var document = new HashMap<String, Object>();
    document.put("issuer", issuer());
    document.put("authorization_endpoint", issuer() + "/authorize");
    document.put("token_endpoint", issuer() + "/token");
    document.put("jwks_uri", issuer() + "/jwks");
    document.put("userinfo_endpoint", issuer() + "/userinfo");
    document.put("end_session_endpoint", issuer() + "/logout");
    document.put("response_types_supported", List.of("code"));
    document.put("subject_types_supported", List.of("public"));
    document.put("id_token_signing_alg_values_supported", List.of("ES256", "HS256", "none"));
    document.putAll(metadata);
    return document;
  }

  /** Accepts a code once, of the client, with the verifier of its challenge. */
  private void token(HttpExchange exchange, Map<String, String> sent) throws IOException {
    String pair =
        URLEncoder.encode(CLIENT, StandardCharsets.UTF_8)
            + ":"
            + URLEncoder.encode(SECRET, StandardCharsets.UTF_8);
    String basic = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    Code code = codes.remove(sent.getOrDefault("code", ""));
    byte[] verifier = sent.getOrDefault("code_verifier", "").getBytes(StandardCharsets.US_ASCII);
    boolean fine =
        code != null
            && ("Basic " + basic).equals(exchange.getRequestHeaders().getFirst("Authorization"))
            && "S256".equals(code.request().get("code_challenge_method"))
            && Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Sha256.of(verifier))
                .equals(code.request().get("code_challenge"))
            && String.valueOf(code.request().get("redirect_uri")).equals(sent.get("redirect_uri"));
    if (code != null && fine) {
      send(
          exchange,
          200,
          Map.of("access_token", "opaque", "token_type", "Bearer", "id_token", code.idToken()));
    } else {
      send(exchange, 400, Map.of("error", "invalid_grant"));
    }
  }

  private static void send(HttpExchange exchange, int status, Map<String, Object> body)
      throws IOException {
    byte[] bytes = JSONObjectUtils.toJSONString(body).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
