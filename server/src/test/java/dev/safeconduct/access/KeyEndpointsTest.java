package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonNull;
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
  void aKeyIsReadRenamedAndNarrowed() {
    Answer made =
        server.post(
            keys, RoomsServer.ADMIN, "{'name':'ci','scopes':['list_agents','read','issue']}");
    String key = made.string("key");
    String path = keys + "/" + made.string("key_id");

    Answer read = server.get(path, RoomsServer.ADMIN);
    assertThat(read.string("created_by")).isEqualTo("admin");
    assertThat(read.body().get("last_used_at")).isEqualTo(JsonNull.NULL);
    assertThat(read.text()).doesNotContain(key);
    assertThat(server.get("/api/passports", key).status()).isEqualTo(200);
    server.rooms.keyUse.save();
    assertThat(server.get(path, RoomsServer.ADMIN).string("last_used_at"))
        .isEqualTo("2026-11-21T09:00:00.000Z");

    Answer patched =
        patch(
            path,
            "{'name':'Build','scopes':['read'],'expires_at':'2027-01-01T00:00:00Z',"
                + "'allowed_sources':['127.0.0.0/8','2001:DB8::/32']}");

    assertThat(patched.status()).isEqualTo(200);
    assertThat(patched.body()).isEqualTo(server.get(path, RoomsServer.ADMIN).body());
    assertThat(patched.string("name")).isEqualTo("Build");
    assertThat(patched.string("expires_at")).isEqualTo("2027-01-01T00:00:00.000Z");
    assertThat(patched.body().array("allowed_sources").orElseThrow().strings())
        .containsExactly("127.0.0.0/8", "2001:db8::/32");
    assertThat(server.get("/api/passports", key).status()).isEqualTo(403); // not in its scopes
    assertThat(server.rooms.lastBody())
        .contains("key_updated", "2001:db8::/32", "\"scopes\":[\"read\"]");

    int records = server.rooms.records().size();
    assertThat(patch(path, "{'name':'Build'}").status()).isEqualTo(200);
    assertThat(server.rooms.records()).hasSize(records);
    assertThat(patch(path, "{'expires_at':null}").body().get("expires_at"))
        .isEqualTo(JsonNull.NULL);
  }

  @Test
  void aKeyIsAcceptedOnlyFromItsSources() {
    Answer made =
        server.post(
            keys,
            RoomsServer.ADMIN,
            "{'name':'ci','scopes':['list_agents'],'allowed_sources':['192.0.2.0/24']}");
    String key = made.string("key");
    Answer refused = server.get("/api/passports", key);

    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).contains("127.0.0.1").doesNotContain("192.0.2");
    assertThat(
            patch(keys + "/" + made.string("key_id"), "{'allowed_sources':['127.0.0.1']}").status())
        .isEqualTo(200);
    assertThat(server.get("/api/passports", key).status()).isEqualTo(200);
    Answer rotated =
        server.post(keys + "/" + made.string("key_id") + "/rotate", RoomsServer.ADMIN, "");
    assertThat(rotated.body().array("allowed_sources").orElseThrow().strings())
        .containsExactly("127.0.0.1/32");
  }

  @Test
  void aKeyNeverBecomesWider() {
    String path = keys + "/" + server.rooms.key(server.rooms.ours, Scope.READ).key().id();

    for (List<String> each :
        List.of(
            List.of("{}", ""),
            List.of("{'scopes':['read','issue']}", "scopes"),
            List.of("{'scopes':['issue']}", "scopes"),
            List.of("{'scopes':[]}", "scopes"),
            List.of("{'scope':['read']}", "scope"),
            List.of("{'agent_id':'ap_1'}", "agent_id"),
            List.of("{'expires_at':'2020-01-01T00:00:00Z'}", "expires_at"),
            List.of("{'allowed_sources':'10.0.0.0/8'}", "allowed_sources"),
            List.of("{'allowed_sources':['10.0.0.0/8','10.0.0.0/33']}", "allowed_sources[1]"),
            List.of("{'allowed_sources':['example.com']}", "allowed_sources[0]"),
            List.of("{'allowed_sources':['10.0.0.0/-1']}", "allowed_sources[0]"),
            List.of("{'allowed_sources':['10.0.0.0/8 0.0.0.0/0']}", "allowed_sources[0]"))) {
      Answer refused = patch(path, each.getFirst());
      assertThat(refused.status()).as(each.getFirst()).isEqualTo(400);
      assertThat(refused.text()).contains(each.getLast());
    }
    assertThat(server.get(path, RoomsServer.ADMIN).body().array("scopes").orElseThrow().strings())
        .containsExactly("read");
    assertThat(server.call("DELETE", path, RoomsServer.ADMIN, "").status()).isEqualTo(200);
    assertThat(patch(path, "{'name':'again'}").status()).isEqualTo(409);
  }

  /** A stolen key must not outlive its expiry or work from elsewhere by its own doing. */
  @Test
  void aKeyDoesNotWidenItself() {
    String scopes = "'scopes':['manage_keys','read']";
    Answer made =
        server.post(
            keys,
            RoomsServer.ADMIN,
            "{'name':'ci',"
                + scopes
                + ",'expires_at':'2027-01-01T00:00:00Z',"
                + "'allowed_sources':['127.0.0.0/8']}");
    String key = made.string("key");
    String path = keys + "/" + made.string("key_id");
    for (String wider :
        List.of(
            "{'expires_at':null}",
            "{'expires_at':'2028-01-01T00:00:00Z'}",
            "{'allowed_sources':[]}",
            "{'allowed_sources':['0.0.0.0/0']}")) {
      Answer refused = server.call("PATCH", path, key, wider);
      assertThat(refused.status()).as(wider + refused.text()).isEqualTo(403);
    }
    assertThat(
            server
                .call("PATCH", path, key, "{'name':'x','expires_at':'2026-12-01T00:00:00Z'}")
                .status())
        .isEqualTo(200);
    String other =
        server.post(keys, RoomsServer.ADMIN, "{'name':'o'," + scopes + "}").string("key");
    assertThat(server.call("PATCH", path, other, "{'expires_at':null}").status()).isEqualTo(200);
  }

  /** A key with limits passes on none of what it lacks, by whatever request it makes a key. */
  @Test
  void aKeyMakesNoWiderKey() {
    String narrow =
        server
            .post(
                keys,
                RoomsServer.ADMIN,
                "{'name':'ci','scopes':['manage_keys','issue','read'],"
                    + "'expires_at':'2027-01-01T00:00:00Z','allowed_sources':['127.0.0.0/8']}")
            .string("key");
    String agent = server.rooms.passport(server.rooms.ours, "Bot").agentId().value();
    String setupKey = "/api/passports/" + agent + "/setup-key";
    String until = "'expires_at':'2027-01-01T00:00:00Z'";
    String from = "'allowed_sources':['127.0.0.1']";
    for (List<String> each :
        List.of(
            List.of(until + "," + from + ",'scopes':['read','update']", "update"),
            List.of(from + ",'scopes':['read']", "expires_at"),
            List.of(from + ",'expires_at':'2027-01-01T00:00:01Z','scopes':['read']", "expires_at"),
            List.of(until + ",'scopes':['read']", "allowed_sources"),
            List.of(
                until + ",'allowed_sources':['127.0.0.1','::1'],'scopes':['read']",
                "allowed_sources"))) {
      for (String path : List.of(keys, setupKey)) {
        Answer refused = server.post(path, narrow, "{'name':'x'," + each.getFirst() + "}");
        assertThat(refused.status()).as(path + each + refused.text()).isEqualTo(403);
        assertThat(refused.text()).contains(each.getLast());
      }
    }
    String within = "{'name':'x','scopes':['read']," + until + "," + from + "}";
    assertThat(server.post(keys, narrow, within).status()).isEqualTo(201);
    assertThat(server.post(setupKey, narrow, within).status()).isEqualTo(201);

    String wide =
        server
            .post(keys, RoomsServer.ADMIN, "{'name':'wide','scopes':['read']," + until + "}")
            .string("key_id");
    for (String change : List.of("{'expires_at':null}", "{'expires_at':'2027-02-01T00:00:00Z'}")) {
      Answer refused = server.call("PATCH", keys + "/" + wide, narrow, change);
      assertThat(refused.status()).as(change + refused.text()).isEqualTo(403);
    }
    assertThat(server.post(keys + "/" + wide + "/rotate", narrow, "{}").status()).isEqualTo(403);
    assertThat(server.call("PATCH", keys + "/" + wide, narrow, "{" + from + "}").status())
        .isEqualTo(200); // narrowing, as revoking, is no gain
    assertThat(server.post(keys + "/" + wide + "/rotate", narrow, "{}").status()).isEqualTo(201);
  }

  private Answer patch(String path, String body) {
    return server.call("PATCH", path, RoomsServer.ADMIN, body);
  }

  @Test
  void anotherOrganizationIsNotFound() {
    String key = server.key(server.rooms.theirs, Scope.values());
    String keyId = server.rooms.key(server.rooms.ours, Scope.READ).key().id();

    assertThat(server.get(keys, key).status()).isEqualTo(404);
    assertThat(server.post(keys, key, "{'name':'x','scopes':['read']}").status()).isEqualTo(404);
    assertThat(server.call("DELETE", keys + "/" + keyId, key, "").status()).isEqualTo(404);
    assertThat(server.post(keys + "/" + keyId + "/rotate", key, "{}").status()).isEqualTo(404);
    assertThat(server.get(keys + "/" + keyId, key).status()).isEqualTo(404);
    assertThat(server.call("PATCH", keys + "/" + keyId, key, "{'name':'x'}").status())
        .isEqualTo(404);
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
