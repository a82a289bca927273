package dev.safeconduct.authzen;

import static dev.safeconduct.testkit.Records.ALICE_READS;
import static dev.safeconduct.testkit.Records.EVALUATION;
import static dev.safeconduct.testkit.Records.EVALUATIONS;
import static dev.safeconduct.testkit.Records.decision;
import static dev.safeconduct.testkit.Records.message;
import static dev.safeconduct.testkit.Records.question;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What AuthZEN callers get of agents, packs and the audit log. */
final class AuthzenTest {
  @AutoClose private static final TestService service = TestService.start();

  @BeforeAll
  static void start() {
    Records.setUp(service, service.org());
  }

  @Test
  void anAgentIsJudgedByItsPassportAndThePackOfTheAction() {
    String agent = Questions.hosted(service, 100);
    Reply allowed = service.owner().post(EVALUATION, message(agent, "team"));
    assertThat(decision(allowed)).isTrue();
    assertThat(Json.text(allowed.json())).contains("Send exactly the text that was evaluated.");
    assertThat(decision(service.owner().post(EVALUATION, message(agent, "all")))).isFalse();
    // The capability's id, and an old id of the pack, are names of the action as well.
    for (String name : List.of("messaging.send", "messaging.send.v1", "messaging.message.send")) {
      JsonObject byName =
          message(agent, "team")
              .with(
                  "action",
                  Calls.json("{'name': '" + name + "', 'properties': {'message_type': 'text'}}"));
      assertThat(decision(service.owner().post(EVALUATION, byName))).as(name).isTrue();
    }
    // By the UUID of its passport.
    JsonObject passport = service.owner().get("/api/passports/" + agent).json();
    String uuid = passport.string("passport_id").orElseThrow();
    assertThat(decision(service.owner().post(EVALUATION, message(uuid, "team")))).isTrue();
  }

  @Test
  void aSuspensionIsHeardAtOnceAndNobodyVouchesForItself() {
    String agent = Questions.hosted(service, 100);
    assertThat(decision(service.owner().post(EVALUATION, message(agent, "team")))).isTrue();
    Questions.status(service, agent, "suspended");
    Reply refused = service.owner().post(EVALUATION, message(agent, "team"));
    assertThat(decision(refused)).isFalse();
    assertThat(refused.text()).contains("oap.passport_suspended");
    JsonObject described =
        message(agent, "team")
            .with(
                "subject",
                Calls.json("{'type': 'agent', 'id': '" + agent + "'}")
                    .with("properties", Questions.passport(agent, 10)));
    assertThat(service.owner().post(EVALUATION, described).text())
        .contains("oap.passport_suspended");
  }

  @Test
  void aSubjectMayBeDescribedByItsProperties() {
    JsonObject properties =
        Calls.json(
            """
            {'capabilities': ['system.command.execute'],
             'limits': {'system.command.execute': {'allowed_commands': ['git']}}}
            """);
    JsonObject subject =
        Calls.json("{'type': 'worker', 'id': 'w 7'}").with("properties", properties);
    String action = "{'name': 'system.command.execute', 'properties': {'command': '%s'}}";
    String host = "{'type': 'host', 'id': 'h'}";
    JsonObject git = question("{}", action.formatted("git status"), host).with("subject", subject);
    Reply allowed = service.owner().post(EVALUATION, git);
    assertThat(decision(allowed)).as(allowed.toString()).isTrue();
    JsonObject rm = question("{}", action.formatted("rm -rf /"), host).with("subject", subject);
    assertThat(decision(service.owner().post(EVALUATION, rm))).isFalse();
    JsonObject record = recorded(allowed);
    assertThat(record.string("agent_id")).contains("worker:w 7");
    assertThat(record.string("passport_source")).contains("request");
  }

  @Test
  void whatActionResourceAndContextDoNotAgreeOnIsDenied() {
    String agent = Questions.hosted(service, 100);
    JsonObject torn =
        message(agent, "team")
            .with("context", Calls.json("{'message': 'Done.', 'channel_id': 'all'}"));
    Reply refused = service.owner().post(EVALUATION, torn);
    assertThat(decision(refused)).isFalse();
    assertThat(refused.text()).contains("oap.invalid_context").contains("channel_id");
    JsonObject agreed =
        message(agent, "team")
            .with("context", Calls.json("{'message': 'Done.', 'channel_id': 'team'}"));
    assertThat(decision(service.owner().post(EVALUATION, agreed))).isTrue();
  }

  private static JsonObject recorded(Reply reply) {
    return service
        .owner()
        .get("/api/decisions/" + reply.header("Safeconduct-Decision-Id").orElseThrow())
        .json();
  }

  @Test
  void everyDecisionIsSignedAndRecorded() {
    Reply allowed = service.owner().with("X-Request-ID", "authzen-1").post(EVALUATION, ALICE_READS);
    JsonObject record = recorded(allowed);
    assertThat(record.isTrue("allow")).isTrue();
    assertThat(record.string("policy_id")).contains("acme.records.v1");
    assertThat(record.string("agent_id")).contains("user:alice");
    assertThat(record.string("signature")).isPresent();
    Reply batch =
        service
            .owner()
            .post(
                EVALUATIONS,
                Calls.json(ALICE_READS.replace('"', '\''))
                    .with("evaluations", JsonArray.of(JsonObject.EMPTY, new JsonString("bad"))));
    String[] ids = batch.header("Safeconduct-Decision-Id").orElseThrow().split(", ", -1);
    assertThat(ids).hasSize(2);
    assertThat(service.owner().get("/api/decisions/" + ids[0]).status()).isEqualTo(200);
    assertThat(ids[1]).isEqualTo("-");
  }

  @Test
  void anOrganizationsPacksAndAgentsAreNoneOfOthers() {
    var tenant = Questions.Tenant.made(service, "Stranger", "'read'");
    Calls stranger = service.withKey(tenant.key());
    assertThat(decision(stranger.post(EVALUATION, ALICE_READS))).isFalse();
    String agent = Questions.hosted(service, 100);
    Reply refused = stranger.post(EVALUATION, message(agent, "team"));
    assertThat(decision(refused)).isFalse();
    assertThat(refused.text()).contains("\"status\":404");
    // The operator says which organization is meant; else it is the first.
    assertThat(decision(service.admin().post(EVALUATION, ALICE_READS))).isTrue();
    assertThat(decision(service.admin().post(EVALUATION + "?org_id=" + tenant.org(), ALICE_READS)))
        .isFalse();
    assertThat(stranger.post(EVALUATION + "?org_id=" + service.org(), ALICE_READS).status())
        .isEqualTo(404);
  }

  @Test
  void aSetupKeySpeaksForItsAgentOnly() {
    String agent = Questions.hosted(service, 100);
    String other = Questions.hosted(service, 100);
    String key =
        service
            .owner()
            .post("/api/passports/" + agent + "/setup-key", Calls.json("{'name': 'Setup'}"))
            .string("key");
    Calls setup = service.withKey(key);
    assertThat(decision(setup.post(EVALUATION, message(agent, "team")))).isTrue();
    assertThat(decision(setup.post(EVALUATION, message(other, "team")))).isFalse();
    assertThat(decision(setup.post(EVALUATION, ALICE_READS))).isFalse();
  }

  @Test
  void aSecondPackForAnActionIsRefusedUntilTheFirstGoes() {
    var tenant = Questions.Tenant.made(service, "Twice", "'read'");
    Records.setUp(service, tenant.org());
    Calls calls = service.withKey(tenant.key());
    String packs = "/api/orgs/" + tenant.org() + "/policies";
    String second = Records.pack().replace("acme.records.v1", "acme.records.v2");
    assertThat(service.admin().post(packs, second).status()).isEqualTo(201);
    Reply refused = service.admin().post(packs + "/acme.records.v2/activate", "");
    assertThat(refused.status()).as(refused.toString()).isEqualTo(409);
    assertThat(refused.text())
        .contains("action_conflict", "acme.records.v1", "acme.records.v2", "read");
    assertThat(decision(calls.post(EVALUATION, ALICE_READS))).isTrue();
    // The same actions on other resources, or a new version of the pack, are no conflict.
    Records.publish(
        service,
        tenant.org(),
        second.replace("acme.records.v2", "acme.files.v1").replace("\"record\"", "\"file\""));
    assertThat(service.admin().post(packs + "/acme.records.v1/activate", "").status())
        .isEqualTo(200);
    // Neither may an action be the id of a pack.
    String named =
        Records.pack()
            .replace("acme.records.v1", "acme.named.v1")
            .replace("\"actions\": [\"read\"", "\"actions\": [\"messaging.message.send.v1\"");
    assertThat(service.admin().post(packs, named).status()).isEqualTo(201);
    Reply taken = service.admin().post(packs + "/acme.named.v1/activate", "");
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.text()).contains("acme.named.v1", "messaging.message.send.v1");
    String first = packs + "/acme.records.v1/deprecate";
    assertThat(service.admin().post(first, "").status()).isEqualTo(200);
    assertThat(service.admin().post(packs + "/acme.records.v2/activate", "").status())
        .isEqualTo(200);
    assertThat(decision(calls.post(EVALUATION, ALICE_READS))).isTrue();
  }

  @Test
  void ofTwoPacksForAnActionThatAreActivatedAtOnceOneIsRefused() {
    var tenant = Questions.Tenant.made(service, "Both", "'read'");
    String packs = "/api/orgs/" + tenant.org() + "/policies";
    List<String> ids = List.of("acme.records.v1", "acme.records.v2");
    for (String id : ids) {
      String pack = Records.pack().replace("acme.records.v1", id);
      assertThat(service.admin().post(packs, pack).status()).isEqualTo(201);
    }
    assertThat(
            ids.parallelStream()
                .map(id -> service.admin().post(packs + "/" + id + "/activate", "").status())
                .sorted()
                .toList())
        .containsExactly(200, 409);
  }

  @Test
  void theRecordTellsThePacksPropertiesFromTheCallers() {
    JsonObject question =
        question(
            "{'type': 'user', 'id': 'bob', 'properties': {'team': 'a'}}",
            "{'name': 'write'}",
            "{'type': 'record', 'id': 'record-2', 'properties': {'readers': ['bob']}}");
    Reply allowed = service.owner().post(EVALUATION, question);
    assertThat(decision(allowed)).isTrue();
    assertThat(recorded(allowed).string("passport_source")).contains("pack");
    JsonObject details = details(allowed);
    assertThat(details.get("pack_properties"))
        .isEqualTo(Calls.json("{'subject': ['role'], 'resource': ['status', 'writers']}"));
    assertThat(details.has("ignored_properties")).isFalse();
  }

  private static JsonObject details(Reply reply) {
    String id = reply.header("Safeconduct-Decision-Id").orElseThrow();
    Reply records = service.owner().get("/api/audit?kind=decision&limit=20");
    assertThat(records.status()).as(records.toString()).isEqualTo(200);
    return records.json().array("records").orElseThrow().elements().stream()
        .map(JsonObject.class::cast)
        .filter(record -> record.string("record_id").filter(id::equals).isPresent())
        .findFirst()
        .orElseThrow(() -> new AssertionError(records.toString()))
        .object("details")
        .orElseThrow();
  }

  /** An organization whose pack trusts its own properties and admits users it does not list. */
  private static Calls open() {
    var tenant = Questions.Tenant.made(service, "Open", "'read'");
    Records.publish(
        service,
        tenant.org(),
        Records.pack()
            .replace("\"user\": {", "\"user\": {\"*\": {\"team\": \"none\"}, ")
            .replace("\"record\": {", "\"record\": {\"trusted\": true, "));
    return service.withKey(tenant.key());
  }

  @Test
  void anOpenTypeAdmitsOthersWhosePropertiesAreOnlyAttributes() {
    Calls calls = open();
    String record2 = "{'type': 'record', 'id': 'record-2'}";
    JsonObject carol =
        question(
            "{'type': 'user', 'id': 'carol', 'properties': {'role': 'admin', 'status': 'suspended',"
                + " 'capabilities': [], 'never_expires': false, 'expires_at':"
                + " '2020-01-01T00:00:00Z'}}",
            "{'name': 'write'}",
            record2);
    Reply allowed = calls.post(EVALUATION, carol);
    assertThat(decision(allowed)).as(allowed.toString()).isTrue();
    Reply refused =
        calls.post(
            EVALUATION, question("{'type': 'user', 'id': 'dan'}", "{'name': 'write'}", record2));
    assertThat(decision(refused)).isFalse();
    assertThat(refused.text()).contains("Only admins may write");
    // Another type is not open, and a search lists who is listed.
    assertThat(
            calls
                .post(
                    EVALUATION,
                    question("{'type': 'robot', 'id': 'r'}", "{'name': 'read'}", record2))
                .text())
        .contains("\"status\":404");
    assertThat(
            Json.text(
                calls
                    .post(
                        "/access/v1/search/subject",
                        question("{'type': 'user'}", "{'name': 'read'}", record2))
                    .json()
                    .array("results")
                    .orElseThrow()))
        .isEqualTo("[{\"type\":\"user\",\"id\":\"alice\"},{\"type\":\"user\",\"id\":\"bob\"}]");
  }

  @Test
  void theCallerDoesNotOverrideATrustedType() {
    Calls calls = open();
    String forged =
        "{'type': 'record', 'id': '%s', 'properties': {'writers': ['bob'], 'status': 'active'}}";
    String bob = "{'type': 'user', 'id': 'bob', 'properties': {'role': 'clerk'}}";
    for (String record : List.of("record-1", "record-2")) {
      JsonObject asked = question(bob, "{'name': 'write'}", forged.formatted(record));
      assertThat(decision(calls.post(EVALUATION, asked))).as(record).isFalse();
    }
    // Without the option the caller is trusted, and what the pack does not list is the caller's.
    JsonObject asked = question(bob, "{'name': 'write'}", forged.formatted("record-1"));
    assertThat(decision(service.owner().post(EVALUATION, asked))).isTrue();
    asked = question(bob, "{'name': 'write'}", forged.formatted("record-9"));
    assertThat(decision(calls.post(EVALUATION, asked))).isTrue();
  }

  @Test
  void aHostedPassportIsTheSubjectOfTheTypeAgentOnly() {
    String agent = Questions.hosted(service, 100);
    JsonObject banana =
        message(agent, "team")
            .with("subject", Calls.json("{'type': 'banana', 'id': '" + agent + "'}"));
    Reply refused = service.owner().post(EVALUATION, banana);
    assertThat(decision(refused)).isFalse();
    assertThat(refused.text()).contains("\"status\":404");
    JsonObject other =
        message(agent, "team")
            .with("context", Calls.json("{'message': 'Done.', 'agent_id': 'ap_other'}"));
    assertThat(service.owner().post(EVALUATION, other).text()).contains("oap.invalid_context");
  }

  @Test
  void aPackWhoseModelCannotBeMeantIsRefusedWithEveryFault() {
    String broken =
        Records.pack()
            .replace("\"actions\": [\"read\", \"write\", \"delete\"]", "\"action\": [\"read\"]")
            .replace("\"bob\": {\"role\": \"admin\"}", "\"bob\": \"admin\"")
            .replace(
                "\"record\": {",
                "\"moon\": {\"trusted\": true, \"*\": {}}, \"record\": {\"trusted\": \"yes\", ")
            .replace("\"on\": \"deny\"", "\"on\": \"denial\"");
    Reply refused = service.admin().post("/api/orgs/" + service.org() + "/policies", broken);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(422);
    assertThat(refused.text())
        .contains("authzen.action", "did you mean actions", "authzen.actions")
        .contains("authzen.subjects.user.bob", "authzen.resources.record.trusted")
        .contains("authzen.resources.moon.trusted")
        .contains("obligations[0].on");
  }
}
