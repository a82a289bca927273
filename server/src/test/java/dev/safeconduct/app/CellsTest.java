package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cell answers for its own organizations only, and names the cell that another request needs. */
final class CellsTest {
  private static final String VERIFY = "/api/verify/policy/messaging.message.send.v1";
  private static TestService us1;
  private static String elsewhere;

  @BeforeAll
  static void startTheOtherCell() {
    us1 = TestService.start(Map.of("CELL", "us1"));
    elsewhere = issue(us1.owner());
  }

  @AfterAll
  static void stop() {
    us1.close();
  }

  private static TestService eu1(EachStore store) {
    var settings = new HashMap<>(store.settings());
    settings.put("CELL", "eu1");
    return TestService.start(settings);
  }

  private static String issue(Calls calls) {
    Reply issued =
        calls.post(
            "/api/passports",
            """
            {"name": "Agent", "capabilities": [{"id": "messaging.send"}], "limits": {}}
            """);
    assertThat(issued.status()).as(issued.text()).isEqualTo(201);
    return issued.string("agent_id");
  }

  private static void assertMisdirected(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(421);
    assertThat(reply.string("code")).isEqualTo("misdirected_request");
    assertThat(reply.json().object("details").flatMap(details -> details.string("cell")))
        .contains("us1");
    assertThat(reply.string("message")).contains("the cell us1").contains("the cell eu1");
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void answersForItsOwn(EachStore store) {
    try (TestService eu1 = eu1(store)) {
      assertThat(eu1.key()).startsWith("sck_eu1_");
      Reply key =
          eu1.owner()
              .post(
                  "/api/orgs/" + eu1.org() + "/keys",
                  "{\"name\": \"new\", \"scopes\": [\"read\"]}");
      assertThat(key.string("key")).startsWith("sck_eu1_");
      assertThat(key.string("hint")).startsWith("sck_eu1_").hasSize(12);

      String agent = issue(eu1.owner());
      assertThat(agent).startsWith("ap_657531000000");
      Calls reader = eu1.withKey(key.string("key"));
      Reply passport = reader.get("/api/passports/" + agent);
      assertThat(passport.status()).isEqualTo(200);
      assertThat(passport.string("slug")).isEqualTo("agent");
      assertThat(reader.get("/api/passports/" + passport.string("passport_id")).status())
          .isEqualTo(200);
      assertThat(reader.post(VERIFY, question(agent)).status()).isEqualTo(200);
      assertThat(eu1.nobody().get("/api/verify/" + agent).status()).isEqualTo(200);
      // The beginning of its id, which all passports of the cell share, would not do.
      assertThat(reader.get("/api/passports/" + issue(eu1.owner())).string("slug"))
          .matches("agent-[0-9a-f]{8}");
      assertThat(reader.get("/api/passports/" + issue(eu1.owner())).string("slug"))
          .matches("agent-[0-9a-f]{8}");
      String unknown = agent.substring(0, 34) + (agent.endsWith("0") ? "1" : "0");
      assertThat(reader.post(VERIFY, question(unknown)).status()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void sendsOthersToTheirCell(EachStore store) {
    try (TestService eu1 = eu1(store)) {
      assertMisdirected(eu1.withKey(us1.key()).get("/api/passports"));
      assertMisdirected(
          eu1.nobody().with("Authorization", "Bearer " + us1.key()).get("/api/passports"));

      Reply hook =
          eu1.withKey(us1.key())
              .post(
                  "/api/hooks/claude-code",
                  "{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\","
                      + " \"tool_input\": {\"command\": \"ls\"}}");
      assertThat(hook.status()).isEqualTo(200);
      assertThat(hook.text()).contains("deny", "the cell us1");

      Calls owner = eu1.owner();
      String uuid =
          elsewhere.substring(3).replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
      for (String spelled : new String[] {elsewhere, uuid, "AP-" + uuid.replace("-", "")}) {
        Reply verify = owner.post(VERIFY, question(spelled));
        assertMisdirected(verify);
        assertThat(verify.json().get("allow")).isEqualTo(JsonBoolean.FALSE);
      }
      assertMisdirected(
          owner.post(
              VERIFY,
              "{\"passport\": {\"agent_id\": \""
                  + elsewhere
                  + "\", \"status\": \"active\"}, \"context\": {}}"));
      assertMisdirected(owner.get("/api/passports/" + elsewhere));
      assertMisdirected(owner.get("/api/passports/" + uuid));
      assertMisdirected(eu1.nobody().get("/api/verify/" + elsewhere));
      assertMisdirected(eu1.nobody().get("/api/verify?agent_id=" + elsewhere));
      assertMisdirected(eu1.nobody().get("/api/agents/" + elsewhere + "/did.json"));
      assertMisdirected(
          eu1.admin()
              .post(
                  "/api/admin/status",
                  "{\"agent_id\": \"" + elsewhere + "\", \"status\": \"suspended\"}"));

      Reply batch =
          owner.post(
              "/api/verify/batch",
              "{\"evaluations\": [{\"policy_id\": \"messaging.message.send.v1\", \"agent_id\": \""
                  + elsewhere
                  + "\", \"context\": {}}]}");
      assertThat(batch.status()).isEqualTo(200);
      assertThat(batch.text())
          .contains("\"misdirected_request\"", "the cell us1")
          .doesNotContain("\"allow\":true");

      Reply authzen =
          owner.post(
              "/access/v1/evaluation",
              "{\"subject\": {\"type\": \"agent\", \"id\": \""
                  + elsewhere
                  + "\"}, \"action\": {\"name\": \"messaging.message.send.v1\"}, \"resource\":"
                  + " {\"type\": \"message\", \"id\": \"1\"}}");
      assertThat(authzen.status()).isEqualTo(200);
      assertThat(authzen.json().get("decision")).isEqualTo(JsonBoolean.FALSE);
      assertThat(authzen.text()).contains("the cell us1");

      Reply brought =
          eu1.admin()
              .post("/api/passports", "{\"name\": \"A\", \"agent_id\": \"" + elsewhere + "\"}");
      assertThat(brought.status()).isEqualTo(400);
      assertThat(brought.string("field")).isEqualTo("agent_id");
    }
  }

  @Test
  void aServiceThatIsNoCellTakesAnyAgentIdAndNoKeyOfACell() {
    try (TestService plain = TestService.start()) {
      assertThat(plain.key()).matches("sck_[0-9A-Za-z]{49}");
      assertThat(plain.owner().get("/api/passports/" + elsewhere).status()).isEqualTo(404);
      Reply key = plain.withKey(us1.key()).get("/api/passports");
      assertThat(key.status()).as("as any other unknown key").isEqualTo(401);
    }
  }

  /** As after a deployment became a cell: its older keys and agents stay valid. */
  @Test
  void keysAndAgentsWithoutACellAreAnybodys(@TempDir Path folder) {
    String key;
    String agent;
    try (TestService before = TestService.start(folder, Map.of())) {
      key = before.key();
      agent = issue(before.owner());
    }
    try (TestService after = TestService.start(folder, Map.of("CELL", "eu1"))) {
      Reply verify = after.withKey(key).post(VERIFY, question(agent));
      assertThat(verify.status()).as(verify.text()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void theDatabaseOfACellIsNotAnothers(EachStore store, @TempDir Path folder) {
    var settings = new HashMap<>(store.settings());
    settings.put("CELL", "eu1");
    TestService.start(folder, settings).close();

    settings.put("CELL", "us1");
    assertThatThrownBy(() -> TestService.start(folder, settings))
        .hasMessageContaining("CELL must be eu1");
    settings.remove("CELL");
    assertThatThrownBy(() -> TestService.start(folder, settings))
        .hasMessageContaining("CELL must be eu1");
    settings.put("CELL", "eu1");
    TestService.start(folder, settings).close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"EU1", "eu-1", "seven77"})
  void refusesANameThatIsNotValid(String name) {
    assertThatThrownBy(() -> ServerConfig.from(new Env(Map.of("CELL", name))))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("CELL must be 1 to 6 lower-case letters and digits");
  }

  private static String question(String agent) {
    return "{\"agent_id\": \"" + agent + "\", \"context\": {}}";
  }
}
