package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom a token stands for, and that it opens nothing else. */
final class IdentityTest {
  private static final String ISSUER = "https://login.example";
  private static final String PUBLIC = "https://gateway.example/base";

  @TempDir private Path folder;
  private ECKey key;
  private DecisionService service;
  private McpServer server;
  private RunningGateway gateway;

  @BeforeEach
  void start() throws Exception {
    key = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
    Path jwks = folder.resolve("jwks.json");
    Files.writeString(jwks, new JWKSet(key.toPublicJWK()).toString());
    service = new DecisionService();
    server = new McpServer(Kinds.WITH_SESSIONS, Kinds.STATELESS);
    String yaml =
        """
        http:
          listen: 127.0.0.1:0
          public_url: %s
          tokens:
            - {name: ada, sha256: %s, agent_id: ap_ada}
            - {name: bob, sha256: %s, agent_id: ap_bob}
          issuers:
            - {issuer: "%s", jwks: "%s", agents: {carol: ap_carol}, agent_claim: passport}
        servers:
          test:
            url: %s
            headers: {Authorization: {env: UPSTREAM_TOKEN, prefix: "Bearer "}}
        """
            .formatted(PUBLIC, sha256("ada"), sha256("bob"), ISSUER, jwks, server.url());
    gateway = new RunningGateway(service.url(), yaml, Map.of("UPSTREAM_TOKEN", "of-the-server"));
  }

  @AfterEach
  void stop() {
    gateway.close();
    server.close();
    service.close();
  }

  private static String sha256(String token) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }

  private McpClient with(String token) {
    return gateway.client().with("Authorization", "Bearer " + token);
  }

  private static Message call() {
    return McpClient.stateless(
        1, "tools/call", Map.of("name", "echo", "arguments", Map.of("a", 1)), Map.of());
  }

  @Test
  void asksWithThePassportOfTheToken() throws Exception {
    for (String name : new String[] {"ada", "bob"}) {
      assertThat(with(name).sendStateless(call()).status()).isEqualTo(200);
      assertThat(service.asked().getLast()).containsEntry("agent_id", "ap_" + name);
    }
  }

  @Test
  void keepsTheClientsTokenAndSendsTheServersOwn() throws Exception {
    with("ada").start(Map.of()).call(2, "echo", Map.of());
    with("ada").sendStateless(call());
    assertThat(server.received())
        .isNotEmpty()
        .allSatisfy(each ->
            assertThat(each.headers())
                .containsEntry("authorization", "Bearer of-the-server")
                .doesNotContainValue("Bearer ada"));
  }

  @Test
  void tellsWhereToGetAToken() throws Exception {
    McpClient.Answer answer = gateway.client().sendStateless(call());
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.header("WWW-Authenticate"))
        .isEqualTo(
            "Bearer resource_metadata=\"https://gateway.example"
                + "/.well-known/oauth-protected-resource/base/mcp/test\"");
    assertThat(with("eve").sendStateless(call()).header("WWW-Authenticate"))
        .contains("error=\"invalid_token\"");
    String origin = gateway.url("test").replace("/mcp/test", "");
    McpClient.Answer metadata =
        new McpClient(origin + "/.well-known/oauth-protected-resource/mcp/test")
            .send("GET", new byte[0], Map.of());
    assertThat(McpClient.json(metadata.body()))
        .containsEntry("resource", PUBLIC + "/mcp/test")
        .containsEntry("authorization_servers", java.util.List.of(ISSUER));
    assertThat(server.received()).isEmpty();
  }

  @Test
  void keepsASessionToItsPrincipal() throws Exception {
    McpClient ada = with("ada").start(Map.of());
    ada.with("Authorization", "Bearer bob");
    assertThat(ada.call(2, "echo", Map.of()).status()).isEqualTo(404);
    assertThat(ada.send("GET", new byte[0], Map.of()).status()).isEqualTo(404);
    assertThat(ada.send("DELETE", new byte[0], Map.of()).status()).isEqualTo(404);
    assertThat(server.count("tools/call")).isZero();
    ada.with("Authorization", "Bearer ada");
    assertThat(ada.call(3, "echo", Map.of()).status()).isEqualTo(200);
  }

  @Test
  void takesTokensOfTheIssuerForThisEndpointOnly() throws Exception {
    var cases = new LinkedHashMap<String, String>();
    cases.put("", jwt(claims -> claims));
    cases.put("another audience", jwt(claims -> claims.audience(PUBLIC + "/mcp/other")));
    cases.put("another issuer", jwt(claims -> claims.issuer("https://evil.example")));
    cases.put("expired", jwt(claims -> claims.expirationTime(at(-120))));
    cases.put("without an end", jwt(claims -> claims.expirationTime(null)));
    cases.put("not yet", jwt(claims -> claims.notBeforeTime(at(300))));
    cases.put("a subject without a passport", jwt(claims -> claims.subject("mallory")));
    cases.put(
        "another key",
        sign(claims().build(), new ECKeyGenerator(Curve.P_256).keyID("k").generate()));
    cases.put("not signed", new PlainJWT(claims().build()).serialize());
    cases.put("signed with the public key", withPublicKey());
    for (var each : cases.entrySet()) {
      assertThat(with(each.getValue()).sendStateless(call()).status())
          .as(each.getKey())
          .isEqualTo(each.getKey().isEmpty() ? 200 : 401);
    }
    assertThat(service.asked().getLast()).containsEntry("agent_id", "ap_carol");
    String claimed = jwt(claims -> claims.subject("dave").claim("passport", "ap_dave"));
    assertThat(with(claimed).sendStateless(call()).status()).isEqualTo(200);
    assertThat(service.asked().getLast()).containsEntry("agent_id", "ap_dave");
  }

  private static Date at(int seconds) {
    return Date.from(Instant.now().plusSeconds(seconds));
  }

  private static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(ISSUER)
        .audience(PUBLIC + "/mcp/test")
        .subject("carol")
        .expirationTime(at(60));
  }

  private String jwt(UnaryOperator<JWTClaimsSet.Builder> change) throws JOSEException {
    return sign(change.apply(claims()).build(), key);
  }

  private static String sign(JWTClaimsSet claims, ECKey with) throws JOSEException {
    var header =
        new JWSHeader.Builder(JWSAlgorithm.ES256)
            .type(new JOSEObjectType("at+jwt"))
            .keyID("k")
            .build();
    var jwt = new SignedJWT(header, claims);
    jwt.sign(new ECDSASigner(with));
    return jwt.serialize();
  }

  private String withPublicKey() throws JOSEException {
    var jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims().build());
    jwt.sign(new MACSigner(key.toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8)));
    return jwt.serialize();
  }

  @Test
  void refusesSettingsThatLetEverybodyOrNobodyIn() {
    String servers = "\nservers: {test: {url: 'http://127.0.0.1:1/mcp'}}\n";
    for (String http :
        new String[] {
          "{listen: '127.0.0.1:0'}",
          "{listen: '0.0.0.0:0', anonymous: true}",
          "{listen: '0.0.0.0:0', tokens: [{name: a, sha256: '"
              + "0".repeat(64)
              + "', agent_id: a}]}",
          "{listen: '127.0.0.1:0', tokens: [{name: a, sha256: secret, agent_id: a}]}"
        }) {
      assertThatThrownBy(
              () -> new RunningGateway("http://127.0.0.1:1", "http: " + http + servers, Map.of()))
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith("http");
    }
  }
}
