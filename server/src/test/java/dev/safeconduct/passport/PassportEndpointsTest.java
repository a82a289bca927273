package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.RoomsServer;
import dev.safeconduct.testkit.RoomsServer.Answer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PassportEndpointsTest {
  private static final String BODY =
      "{'name':'Refund bot','capabilities':['data.file.read'],'contact':'ada@example.com',"
          + "'metadata':{'team':'blue'},'mcp':{'servers':['https://m.example.com']},"
          + "'limits':{'data.file.read':{'allowed_paths':['/srv']}}}";

  private final RoomsServer server = new RoomsServer();
  private final String key = server.key(server.rooms.ours, Scope.values());
  private final String stranger = server.key(server.rooms.theirs, Scope.values());
  private final Answer issued = server.post("/api/passports", key, BODY);
  private final String id = issued.string("agent_id");
  private final String path = "/api/passports/" + id;

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aPassportIsIssuedReadByEitherIdAndChangedOnce() {
    assertThat(issued.status()).isEqualTo(201);
    assertThat(issued.header("Location")).isEqualTo(path);
    Answer read = server.get(path, key);
    assertThat(read.body()).isEqualTo(issued.body());
    assertThat(server.get("/api/passports/" + issued.string("passport_id"), key).body())
        .isEqualTo(issued.body());
    assertThat(server.get("/api/passports/by-slug/refund-bot", key).body())
        .isEqualTo(issued.body());
    assertThat(server.get(path, key, "If-None-Match", read.header("ETag")).status()).isEqualTo(304);

    String[] ifMatch = {"If-Match", read.header("ETag")};
    assertThat(server.call("PUT", path, key, "{'role':'a'}", ifMatch).status()).isEqualTo(200);
    Answer stale = server.call("PATCH", path, key, "{'role':'b'}", ifMatch);
    assertThat(stale.status()).isEqualTo(409);
    assertThat(stale.string("code")).isEqualTo("conflict");
  }

  @Test
  void anotherOrganizationsPassportIsNotFoundExceptInPublic() {
    for (String get : List.of(path, "/api/passports/by-slug/refund-bot")) {
      assertThat(server.get(get, stranger).status()).isEqualTo(404);
    }
    assertThat(server.call("PATCH", path, stranger, "{}").status()).isEqualTo(404);
    assertThat(server.call("PUT", path + "/status", stranger, "{'status':'revoked'}").status())
        .isEqualTo(404);
    assertThat(server.post(path + "/setup-key", stranger, "{}").status()).isEqualTo(404);
    assertThat(server.get("/api/passports", stranger).text()).doesNotContain(id);
    assertThat(server.get("/api/passports/list", stranger).text()).doesNotContain(id);
    assertThat(server.get("/api/passports?org_id=" + server.rooms.ours, stranger).status())
        .isEqualTo(404);
    assertThat(server.get("/api/verify/" + id, RoomsServer.NOBODY).status()).isEqualTo(200);
  }

  @Test
  void thePublicViewIsSignedAndHoldsNothingPrivate() {
    Answer view = server.get("/api/verify/" + id, RoomsServer.NOBODY);

    assertThat(view.text()).doesNotContain("ada@example", "blue", "/srv", "m.example", "owner");
    assertThat(view.header("Cache-Control")).isEqualTo("no-cache");
    assertThat(view.string("digest")).isEqualTo(CanonicalJson.digest(issued.body()));
    JsonObject unsigned = view.body().without("signature");
    assertThat(server.signer.signed(CanonicalJson.bytes(unsigned), view.string("signature")))
        .isTrue();
    assertThat(server.get("/api/verify/" + id, "", "If-None-Match", view.header("ETag")).status())
        .isEqualTo(304);
    assertThat(server.get(path + "/verify_view", RoomsServer.NOBODY).body()).isEqualTo(view.body());
    assertThat(server.get(path + "/verify_view", stranger).text()).doesNotContain("/srv");
    assertThat(server.get(path + "/verify_view", key).text())
        .contains("/srv", "m.example", "\"role\"");
    assertThat(server.get(path + "/verify_view", "wrong").status()).isEqualTo(401);
  }

  @Test
  void aSetupKeyReadsOnlyItsOwnPassport() {
    Answer made = server.post(path + "/setup-key", key, "{'name':'Quick start'}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.body().object("data").orElseThrow()).isEqualTo(made.body().without("data"));
    String setup = made.string("key");
    String sibling = server.post("/api/passports", key, "{'name':'Sibling'}").string("agent_id");

    assertThat(server.get(path, setup).status()).isEqualTo(200);
    assertThat(server.get("/api/passports/" + sibling, setup).status()).isEqualTo(404);
    assertThat(server.get("/api/passports/by-slug/sibling", setup).status()).isEqualTo(404);
    assertThat(server.get("/api/passports/" + sibling + "/verify_view", setup).text())
        .doesNotContain("\"limits\"");

    String strong =
        server.post(path + "/setup-key", key, "{'scopes':['issue','list_agents']}").string("key");
    assertThat(server.get("/api/passports", strong).status()).isEqualTo(403);
    assertThat(server.post("/api/passports", strong, "{'name':'x'}").status()).isEqualTo(403);
    assertThat(server.post(path + "/setup-key", strong, "{}").status()).isEqualTo(403);
    assertThat(server.post("/api/passports/" + sibling + "/setup-key", strong, "").status())
        .isEqualTo(404);
    String own =
        server.post(path + "/setup-key", key, "{'scopes':['update','status']}").string("key");
    assertThat(server.call("PATCH", path, own, "{'role':'x'}").status()).isEqualTo(403);
    String suspends = "{'status':'suspended'}";
    assertThat(server.call("PUT", path + "/status", own, suspends).status()).isEqualTo(200);
    String activates = "{'agent_id':'" + id + "','status':'active'}";
    assertThat(server.post("/api/admin/status", own, activates).status()).isEqualTo(403);
    assertThat(server.call("PATCH", path, own, "{'status':'active'}").status()).isEqualTo(403);
  }

  @Test
  void aStatusChangeAnswersAsThePublicSpecificationSays() {
    Answer answer =
        server.post(
            "/api/admin/status",
            RoomsServer.ADMIN,
            "{'agent_id':'" + id + "','status':'suspended','reason':'test'}");

    assertThat(answer.text())
        .endsWith(
            "\"message\":\"Agent status updated from 'active' to 'suspended'\","
                + "\"webhook\":{\"sent\":false,\"attempts\":0,\"error\":null}}");
    Answer again = server.call("PUT", path + "/status", key, "{'status':'suspended'}");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.string("previous_status")).isEqualTo("suspended");

    status(400, "{'agent_id':'" + id + "','status':'paused'}");
    status(400, "{'agent_id':'" + id + "'}");
    status(400, "{'status':'active'}");
    status(400, "{'agent_id':'" + id + "','status':'active','reson':'typo'}");
    status(404, "{'agent_id':'ap_none','status':'active'}");
    status(404, "{'agent_id':'not an id','status':'active'}");
    status(409, "{'agent_id':'" + id + "','status':'draft'}");
    assertThat(
            server
                .post("/api/admin/status", server.key(server.rooms.ours, Scope.UPDATE), "{}")
                .status())
        .isEqualTo(403);
  }

  private void status(int wanted, String body) {
    assertThat(server.post("/api/admin/status", RoomsServer.ADMIN, body).status())
        .as(body)
        .isEqualTo(wanted);
  }

  @Test
  void listsAreFilteredAndCounted() {
    server.rooms.clock.advance(Duration.ofMillis(1));
    server.post("/api/passports", key, "{'name':'Draft one','status':'draft','framework':['n8n']}");

    Answer drafts = server.get("/api/passports?status=draft", key);
    assertThat(drafts.body().array("passports").orElseThrow().size()).isEqualTo(1);
    assertThat(drafts.body().isTrue("ok")).isTrue();
    assertThat(server.get("/api/passports?framework=n8n", key).text()).contains("Draft one");
    assertThat(server.get("/api/passports?capability=data.file.read&q=REFUND", key).text())
        .contains(id);
    assertThat(server.get("/api/passports?status=gone", key).status()).isEqualTo(400);

    Answer list = server.get("/api/passports/list?limit=1&offset=1", key);
    assertThat(list.body().isTrue("success")).isTrue();
    assertThat(list.text()).endsWith("\"total\":2}").contains(id).doesNotContain("ada@example");
  }

  @Test
  void anAssuranceLevelIsTheOperatorsToGive() {
    String body = "{'agent_id':'" + id + "','assurance_level':'L2','method':'github'}";
    assertThat(server.post("/api/admin/assurance", key, body).status()).isEqualTo(403);
    assertThat(server.post("/api/admin/assurance", RoomsServer.ADMIN, body).status())
        .isEqualTo(200);
    Answer view = server.get("/api/verify/" + id, RoomsServer.NOBODY);
    assertThat(view.string("assurance_level")).isEqualTo("L2");
    assertThat(view.body().isTrue("verified")).isTrue();
  }

  @Test
  void warningsStandInTheAnswerAndNotInThePassport() {
    Answer updated = server.call("PATCH", path, key, "{'limits':{'api_calls_per_hour':5}}");
    assertThat(updated.body().array("warnings").orElseThrow().size()).isEqualTo(1);
    assertThat(server.get(path, key).body().has("warnings")).isFalse();
  }

  @Test
  void theCatalogueIsPublicAndCached() {
    Answer schema = server.get("/api/schema/capabilities-limits", RoomsServer.NOBODY);
    assertThat(schema.status()).isEqualTo(200);
    assertThat(schema.header("Cache-Control")).isEqualTo("public, max-age=60");
    assertThat(schema.body().names())
        .contains("version", "capabilities", "limits", "assurance_levels", "statuses", "regions");
    assertThat(
            server
                .get("/api/schema/capabilities-limits", "", "If-None-Match", schema.header("ETag"))
                .status())
        .isEqualTo(304);
  }
}
