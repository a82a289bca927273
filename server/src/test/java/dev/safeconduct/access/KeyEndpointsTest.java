package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.testkit.RoomsServer;
import dev.safeconduct.testkit.RoomsServer.Answer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyEndpointsTest {
  private final RoomsServer server = new RoomsServer();
  private final String keys = "/api/orgs/" + server.rooms.ours + "/keys";

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aKeyIsShownOnceOpensItsScopesAndIsRevokedAtOnce() {
    Answer made =
        server.post(keys, RoomsServer.ADMIN, "{'name':'ci','scopes':['list_agents','read']}");

    assertThat(made.status()).isEqualTo(201);
    String key = made.string("key");
    assertThat(key).startsWith(made.string("hint")).startsWith("sck_");
    assertThat(made.body().array("scopes").orElseThrow().strings())
        .containsExactly("read", "list_agents");
    assertThat(server.get("/api/passports", key).status()).isEqualTo(200);
    assertThat(server.get("/api/passports", RoomsServer.NOBODY, "X-API-Key", key).status())
        .isEqualTo(200);
    assertThat(server.get(keys, key).status()).isEqualTo(403);
    assertThat(server.get(keys, RoomsServer.ADMIN).text())
        .contains(made.string("key_id"))
        .doesNotContain(key);

    Answer revoked =
        server.call("DELETE", keys + "/" + made.string("key_id"), RoomsServer.ADMIN, "");

    assertThat(revoked.status()).isEqualTo(200);
    assertThat(server.get("/api/passports", key).status()).isEqualTo(401);
  }

  @Test
  void badRequestsNameWhatIsWrong() {
    bad("{'name':'x','scopes':['read','verify']}", "invalid_scope", "scopes[1]");
    bad("{'name':'x','scopes':[' read']}", "invalid_scope", "scopes[0]");
    bad("{'name':'x','scopes':['issue','read\\t']}", "invalid_scope", "scopes[1]");
    bad("{'name':'x','scopes':['read" + " ".repeat(90_000) + "']}", "invalid_scope", "scopes[0]");
    bad("{'name':'x','scopes':['READ']}", "invalid_scope", "scopes[0]");
    bad("{'name':'x','scopes':['read',7]}", "invalid_request", "scopes[1]");
    bad("{'name':'x','scopes':[]}", "invalid_request", "scopes");
    bad("{'name':'x'}", "invalid_request", "scopes");
    bad("{'scopes':['read']}", "invalid_request", "name");
    bad("{'name':'x','scopes':['read'],'scope':'read'}", "invalid_request", "scope");
    bad("{'name':'x','scopes':['read'],'expires_at':'2020-01-01T00:00:00Z'}", "", "expires_at");
    bad("{'name':'x','scopes':['read'],'agent_id':'no such'}", "invalid_request", "agent_id");
  }

  @Test
  void anotherOrganizationIsNotFound() {
    String key = server.key(server.rooms.theirs, Scope.values());
    String keyId = server.rooms.key(server.rooms.ours, Scope.READ).key().id();

    assertThat(server.get(keys, key).status()).isEqualTo(404);
    assertThat(server.post(keys, key, "{'name':'x','scopes':['read']}").status()).isEqualTo(404);
    assertThat(server.call("DELETE", keys + "/" + keyId, key, "").status()).isEqualTo(404);
    assertThat(server.post(keys + "/" + keyId + "/rotate", key, "{}").status()).isEqualTo(404);
    assertThat(server.get("/api/orgs/org_none/keys", RoomsServer.ADMIN).status()).isEqualTo(404);
    assertThat(server.get("/api/orgs/" + "x".repeat(200) + "/keys", key).status()).isEqualTo(404);
  }

  @Test
  void aRotationAnswersTheNewKeyAndTheOldOnesEnd() {
    String keyId = server.rooms.key(server.rooms.ours, Scope.READ).key().id();
    String path = keys + "/" + keyId + "/rotate";

    assertThat(server.post(path, RoomsServer.ADMIN, "{'grace_seconds':604801}").status())
        .isEqualTo(400);
    Answer rotated = server.post(path, RoomsServer.ADMIN, "{'grace_seconds':60}");

    assertThat(rotated.status()).isEqualTo(201);
    assertThat(rotated.body().object("previous").orElseThrow().string("expires_at"))
        .contains("2026-11-21T09:01:00.000Z");
    assertThat(server.post(path, RoomsServer.ADMIN, "").status()).isEqualTo(201);
    assertThat(server.post(path, RoomsServer.ADMIN, "").status()).isEqualTo(409);
  }

  @Test
  void aListIsPagedWithoutGapsOrRepeats() {
    for (int i = 0; i < 7; i++) {
      server.key(server.rooms.ours, Scope.READ);
    }
    List<String> seen = new ArrayList<>();
    String cursor = "";
    do {
      Answer page = server.get(keys + "?limit=3" + cursor, RoomsServer.ADMIN);
      page.body()
          .array("keys")
          .orElseThrow()
          .forEach(key ->
              seen.add(((dev.safeconduct.json.JsonObject) key).string("key_id").orElseThrow()));
      cursor = page.body().string("next_cursor").map(next -> "&cursor=" + next).orElse("");
    } while (!cursor.isEmpty());

    assertThat(seen).hasSize(7).doesNotHaveDuplicates();
    assertThat(server.get(keys + "?limit=201", RoomsServer.ADMIN).status()).isEqualTo(400);
    assertThat(server.get(keys + "?cursor=%2A", RoomsServer.ADMIN).status()).isEqualTo(400);
  }

  @Test
  void organizationsAreTheOperatorsMatter() {
    Answer made = server.post("/api/orgs", RoomsServer.ADMIN, "{'name':'Third'}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.string("org_id")).matches("org_[0-9a-f]{32}");
    assertThat(server.get("/api/orgs", RoomsServer.ADMIN).body().array("orgs").orElseThrow().size())
        .isEqualTo(3);
    String key = server.key(server.rooms.ours, Scope.values());
    assertThat(server.get("/api/orgs", key).status()).isEqualTo(403);
    assertThat(server.get("/api/orgs", RoomsServer.NOBODY).status()).isEqualTo(401);
  }

  private void bad(String body, String code, String field) {
    Answer answer = server.post(keys, RoomsServer.ADMIN, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    if (!code.isEmpty()) {
      assertThat(answer.string("code")).isEqualTo(code);
    }
    if (!field.isEmpty()) {
      assertThat(answer.string("field")).isEqualTo(field);
    }
  }
}
