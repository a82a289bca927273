package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is public of a passport, as a signed document in the shape of an OAP passport. */
final class OapDocumentTest {
  private static final String ED25519 = "302a300506032b6570032100";

  @AutoClose private static final TestService service = TestService.start();

  private static final String agent =
      Questions.hosted(
          service,
          service.org(),
          Calls.json(
              """
              {'agent_id': 'ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79', 'name': 'Buyer',
               'assurance_level': 'L2', 'regions': ['US'], 'contact': 'ada@example.com',
               'did': 'did:web:example.com', 'expires_at': '2099-01-01T00:00:00Z',
               'capabilities': [{'id': 'data.file.read', 'params': {'most': 'hidden'}}],
               'limits': {'data.file.read': {'allowed_paths': ['/srv']}},
               'metadata': {'team': 'blue'}, 'mcp': {'servers': ['https://m.example.com']}}
              """));

  @Test
  void itHasTheMembersOfAnOapPassportAndNothingPrivate() {
    Reply reply = service.nobody().get("/api/verify/" + agent + "?format=oap");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    assertThat(reply.header("Cache-Control")).contains("no-cache");
    assertThat(reply.json().names())
        .containsExactlyInAnyOrder(
            "agent_id",
            "passport_id",
            "kind",
            "spec_version",
            "owner_id",
            "owner_type",
            "status",
            "assurance_level",
            "capabilities",
            "regions",
            "did",
            "expires_at",
            "created_at",
            "updated_at",
            "version",
            "issuer",
            "expired",
            "digest",
            "kid",
            "signature");
    assertThat(reply.string("passport_id")).isEqualTo("0b7f0c3e-5d7a-4d3c-9c1f-2e3d4c5b6a79");
    assertThat(reply.string("spec_version")).isEqualTo("oap/1.0");
    assertThat(reply.json().get("capabilities"))
        .isEqualTo(Calls.json("{'c': [{'id': 'data.file.read'}]}").get("c"));
    assertThat(reply.toString()).doesNotContain("ada@", "/srv", "blue", "m.example", "hidden");
  }

  @Test
  void itIsCheckedWithThePublishedKeysAndNamesThePassportThatDecisionsName() throws Exception {
    JsonObject document = service.nobody().get("/api/verify/" + agent + "?format=oap").json();
    assertThat(isSigned(document)).isTrue();
    assertThat(isSigned(document.with("status", new JsonString("draft")))).isFalse();
    JsonObject passport = service.owner().get("/api/passports/" + agent).json();
    assertThat(document.string("digest")).contains(CanonicalJson.digest(passport));
  }

  private static boolean isSigned(JsonObject document) throws Exception {
    String x = "";
    for (JsonValue key : service.nobody().get("/jwks.json").json().array("keys").orElseThrow()) {
      if (((JsonObject) key).string("kid").equals(document.string("kid"))) {
        x = ((JsonObject) key).string("x").orElseThrow();
      }
    }
    byte[] raw = Base64.getUrlDecoder().decode(x);
    byte[] der = HexFormat.of().parseHex(ED25519 + HexFormat.of().formatHex(raw));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(
        KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der)));
    signature.update(CanonicalJson.bytes(document.without("signature")));
    String text = document.string("signature").orElseThrow();
    return signature.verify(Base64.getDecoder().decode(text.substring("ed25519:".length())));
  }

  @Test
  void itHasAnEtagOfItsOwnThatFollowsThePassport() {
    String id = Questions.hosted(service, 9);
    String path = "/api/verify/" + id + "?format=oap";
    Reply document = service.nobody().get(path);
    String tag = document.header("ETag").orElseThrow();
    assertThat(service.nobody().get("/api/verify/" + id).header("ETag").orElseThrow())
        .isNotEqualTo(tag);
    Calls knowing = service.nobody().with("If-None-Match", tag);
    assertThat(knowing.get(path).status()).isEqualTo(304);
    assertThat(knowing.get("/api/verify/" + id).status()).isEqualTo(200);

    Reply head = service.nobody().send("HEAD", path, "");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("ETag")).contains(tag);
    assertThat(head.body()).isEmpty();

    Questions.status(service, id, "suspended");
    Reply changed = knowing.get(path);
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.string("status")).isEqualTo("suspended");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/verify/%s?", "/api/verify?agent_id=%s&"})
  void everyAddressOfThePublicViewKnowsTheFormat(String path) {
    String asked = path.formatted(agent);
    JsonObject document = service.nobody().get("/api/verify/" + agent + "?format=oap").json();
    assertThat(service.nobody().get(asked + "format=oap").json()).isEqualTo(document);
    assertThat(service.nobody().get(asked + "format=json").json())
        .isEqualTo(service.nobody().get("/api/verify/" + agent).json());
    assertNamesFormat(service.nobody().get(asked + "format=vc"));
    assertNamesFormat(service.nobody().get(asked + "format="));
  }

  /** Whoever owns the passport sees no more of it in this form than anybody. */
  @Test
  void theViewOfOwnersKnowsTheFormatToo() {
    String path = "/api/passports/" + agent + "/verify_view?format=";
    JsonObject document = service.nobody().get("/api/verify/" + agent + "?format=oap").json();
    assertThat(service.owner().get(path + "oap").json()).isEqualTo(document);
    assertThat(service.nobody().get(path + "oap").json()).isEqualTo(document);
    assertThat(service.owner().get(path + "json").json().has("limits")).isTrue();
    assertNamesFormat(service.owner().get(path + "vp"));
  }

  private static void assertNamesFormat(Reply reply) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo("format");
  }
}
