package dev.safeconduct.authzen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The metadata of a policy decision point (AuthZEN section 9), plain and signed. */
final class AuthzenMetadataTest {
  private static final String WELL_KNOWN = "/.well-known/authzen-configuration";
  private static final String BASE = "https://pdp.example.com";

  @Test
  void namesEveryEndpointAtThePublicAddressWhateverTheHostSays() throws Exception {
    try (TestService service = TestService.start(Map.of("BASE_URL", BASE + "/"))) {
      Reply reply = service.nobody().get(WELL_KNOWN);
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.header("Content-Type")).contains("application/json");
      assertThat(reply.header("Cache-Control")).contains("public, max-age=60");
      JsonObject plain = reply.json().without("signed_metadata");
      assertThat(plain.names())
          .containsExactly(
              "policy_decision_point",
              "access_evaluation_endpoint",
              "access_evaluations_endpoint",
              "search_subject_endpoint",
              "search_resource_endpoint",
              "search_action_endpoint");
      assertThat(plain.string("policy_decision_point")).contains(BASE);
      for (String name : plain.names()) {
        String address = plain.string(name).orElseThrow();
        assertThat(address).startsWith(BASE);
        if (!name.equals("policy_decision_point")) {
          String path = address.substring(BASE.length());
          assertThat(path).startsWith("/access/v1/");
          // It is there: without a credential 401, not 404.
          assertThat(service.nobody().post(path, "{}").status()).isEqualTo(401);
        }
      }
      JsonObject claims = checked(service, reply.string("signed_metadata"));
      assertThat(claims.string("iss")).contains(BASE);
      assertThat(Questions.number(claims, "iat")).isPositive();
      assertThat(claims.without("iss").without("iat")).isEqualTo(plain);
      assertThat(service.nobody().send("HEAD", WELL_KNOWN, "").status()).isEqualTo(200);
      assertThat(service.nobody().post(WELL_KNOWN, "{}").status()).isEqualTo(405);
    }
  }

  @Test
  void thePathOfThePublicAddressComesAfterTheWellKnownOne() {
    try (TestService service = TestService.start(Map.of("BASE_URL", BASE + "/tenant1"))) {
      Reply reply = service.nobody().get(WELL_KNOWN + "/tenant1");
      assertThat(reply.string("policy_decision_point")).isEqualTo(BASE + "/tenant1");
      assertThat(reply.string("access_evaluation_endpoint"))
          .isEqualTo(BASE + "/tenant1/access/v1/evaluation");
    }
  }

  /** The claims of a token, its EdDSA signature checked by a published key (RFC 7515, 8037). */
  private static JsonObject checked(TestService service, String token)
      throws GeneralSecurityException, JsonFault {
    String[] parts = token.split("\\.", -1);
    assertThat(parts).hasSize(3);
    JsonObject header = Json.parseObject(Base64.getUrlDecoder().decode(parts[0]));
    assertThat(header.string("alg")).contains("EdDSA");
    String kid = header.string("kid").orElseThrow();
    assertThat(kid).contains("metadata");
    String x = "";
    for (JsonValue key : service.nobody().get("/jwks.json").json().array("keys").orElseThrow()) {
      if (((JsonObject) key).string("kid").equals(header.string("kid"))) {
        x = ((JsonObject) key).string("x").orElseThrow();
      }
    }
    byte[] raw = Base64.getUrlDecoder().decode(x);
    byte[] der =
        HexFormat.of().parseHex("302a300506032b6570032100" + HexFormat.of().formatHex(raw));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(
        KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der)));
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    assertThat(signature.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
    return Json.parseObject(Base64.getUrlDecoder().decode(parts[1]));
  }
}
