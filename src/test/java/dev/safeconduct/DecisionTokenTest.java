package dev.safeconduct;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Reply;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An allow as a token: who gets one, what is in it, and until when it is good. */
final class DecisionTokenTest {
  private static final String COMMAND = "/api/verify/token/system.command.execute.v1";
  private static final String MESSAGE = "/api/verify/token/messaging.message.send.v1";
  private static final String VALIDATE = "/api/verify/token/validate";

  private static final MovableClock CLOCK = new MovableClock();
  private static TestService service;
  private static String agent;

  @BeforeAll
  static void start() {
    service = TestService.start(Map.of(), CLOCK);
    agent = Questions.hosted(service, 9);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** Anybody checks it by the key set and the standards alone. */
  @Test
  void anAllowIsATokenByAKeyOfTheKeySet() throws GeneralSecurityException {
    Reply reply = asked(Questions.command(agent, "git"));
    String[] parts = reply.string("token").split("\\.", -1);
    JsonObject header = part(parts[0]);
    assertThat(header.string("alg")).contains("EdDSA");
    assertThat(header.string("typ")).contains("decision+jwt");
    assertThat(verified(header.string("kid").orElseThrow(), parts)).isTrue();
    JsonObject claims = part(parts[1]);
    JsonObject decision = reply.json().object("decision").orElseThrow();
    assertThat(claims.object("decision")).contains(decision);
    assertThat(claims.string("sub")).contains(agent);
    assertThat(claims.string("aud")).contains("safeconduct-decision");
    assertThat(claims.get("context_digest")).isEqualTo(decision.get("context_digest"));
    assertThat(claims.get("jti")).isEqualTo(decision.get("decision_id"));
    assertThat(Questions.number(claims, "exp") - Questions.number(claims, "iat"))
        .isEqualTo(Questions.number(decision, "expires_in"))
        .isBetween(1L, 30L);
    String id = decision.string("decision_id").orElseThrow();
    assertThat(service.owner().get("/api/decisions/" + id).json().object("decision"))
        .contains(decision);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        COMMAND + " | {'agent_id': '$ID', 'context': {'command': 'curl'}} | false",
        COMMAND + "?dry_run=true | {'agent_id': '$ID', 'context': {'command': 'git'}} | true",
        MESSAGE
            + " | {'agent_id': '$ID', 'context': {'channel_id': 'team', 'message': 'Done.',"
            + " 'message_type': 'text'}} | true",
      },
      quoteCharacter = '~')
  void whatMayNotBeKeptGetsNoToken(String path, String body, boolean allow) {
    Reply reply = service.owner().post(path.strip(), Calls.json(body.replace("$ID", agent)));
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().get("token")).isEqualTo(JsonNull.NULL);
    assertThat(reply.json().object("decision").orElseThrow().isTrue("allow")).isEqualTo(allow);
    assertThat(reply.string("reason")).isNotEmpty();
  }

  @Test
  void aGoodTokenIsValidUntilItExpires() {
    Reply asked = asked(Questions.command(agent, "git"));
    Reply good = validated(asked.string("token"));
    assertThat(good.json().isTrue("valid")).isTrue();
    assertThat(good.json().object("decision")).isEqualTo(asked.json().object("decision"));
    long life = Questions.number(asked.json().object("decision").orElseThrow(), "expires_in");
    CLOCK.advance(Duration.ofSeconds(life));
    invalid(asked.string("token"), "expired");
  }

  @Test
  void aTokenOfASuspendedAgentIsNoGood() {
    String other = Questions.hosted(service, 9);
    String token = asked(Questions.command(other, "git")).string("token");
    Questions.status(service, other, "suspended");
    invalid(token, "no longer active");
    Questions.status(service, other, "active");
    assertThat(validated(token).json().isTrue("valid")).isTrue();
  }

  @Test
  void anAlteredTokenIsNoGood() {
    String token = asked(Questions.command(agent, "git")).string("token");
    String[] parts = token.split("\\.", -1);
    var altered =
        new ArrayList<String>(List.of("", "a", "a.b.c", token + "A", parts[0] + ".." + parts[2]));
    altered.add(coded("{\"alg\":\"none\"}") + "." + parts[1] + ".");
    altered.add(parts[0] + "." + coded("{\"aud\":\"safeconduct-decision\"}") + "." + parts[2]);
    altered.add("x".repeat(20_000));
    for (int at = 0; at < token.length(); at += 97) {
      char other = token.charAt(at) == 'A' ? 'B' : 'A';
      altered.add(token.substring(0, at) + other + token.substring(at + 1));
    }
    altered.forEach(text -> invalid(text, "none of this service's"));
  }

  /** The Python SDKs make an object of it that takes these members only. */
  @Test
  void aPythonClientGetsTheShortForm() {
    String token = asked(Questions.command(agent, "git")).string("token");
    Calls python = service.nobody().with("User-Agent", "aport-sdk-python/0.1.0");
    JsonObject body = JsonObject.builder().put("token", token).build();
    JsonObject decision = python.post(VALIDATE, body).json().object("decision").orElseThrow();
    ClientReading.EXACTLY_EIGHT.finds(decision, true, "oap.allowed");
    JsonObject bad =
        python.post(VALIDATE, "{\"token\": \"a.b.c\"}").json().object("decision").orElseThrow();
    assertThat(bad.isTrue("allow")).isFalse();
    assertThat(Set.of("decision_id", "allow", "reasons", "expires_in")).containsAll(bad.names());
  }

  private static Reply asked(JsonObject question) {
    Reply reply = service.owner().post(COMMAND, question);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  private static Reply validated(String token) {
    return service.nobody().post(VALIDATE, JsonObject.builder().put("token", token).build());
  }

  /** Whoever looks at the decision alone is told no, too. */
  private static void invalid(String token, String why) {
    Reply reply = validated(token);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.json().isTrue("valid")).as(token).isFalse();
    JsonObject decision = reply.json().object("decision").orElseThrow();
    assertThat(decision.isTrue("allow")).isFalse();
    assertThat(Questions.code(decision)).isEqualTo("oap.invalid_token");
    assertThat(reply.string("reason")).contains(why);
  }

  private static boolean verified(String kid, String[] parts) throws GeneralSecurityException {
    for (JsonValue key : service.nobody().get("/jwks.json").json().array("keys").orElseThrow()) {
      JsonObject jwk = (JsonObject) key;
      if (kid.equals(jwk.string("kid").orElse(""))) {
        Signature signature = Signature.getInstance("Ed25519");
        signature.initVerify(
            KeyFactory.getInstance("Ed25519")
                .generatePublic(
                    new EdECPublicKeySpec(
                        NamedParameterSpec.ED25519, point(jwk.string("x").orElseThrow()))));
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        return signature.verify(Base64.getUrlDecoder().decode(parts[2]));
      }
    }
    return false;
  }

  /** RFC 8032 section 5.1.2: the ordinate in little-endian order, the abscissa's sign on top. */
  private static EdECPoint point(String x) {
    byte[] bytes = Base64.getUrlDecoder().decode(x);
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    boolean odd = (reversed[0] & 0x80) != 0;
    reversed[0] &= 0x7f;
    return new EdECPoint(odd, new BigInteger(1, reversed));
  }

  private static String coded(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static JsonObject part(String base64) {
    try {
      return Json.parseObject(Base64.getUrlDecoder().decode(base64));
    } catch (JsonFault e) {
      throw new AssertionError(base64, e);
    }
  }
}
