package dev.safeconduct.audit;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static dev.safeconduct.testkit.Questions.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept of decisions, and who may read it; the same on both stores. */
final class AuditTest {
  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static Stream<JsonObject> each(JsonArray records) {
    return StreamSupport.stream(records.spliterator(), false).map(JsonObject.class::cast);
  }

  private static List<String> ids(TestService service, String query) {
    return each(Questions.records(service.owner(), query))
        .map(record -> record.string("record_id").orElseThrow())
        .toList();
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void findsWhatTheFiltersName(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 50);
    String allowed =
        service.owner().post(COMMAND, Questions.command(agent, "ls")).string("decision_id");
    String denied =
        service.owner().post(COMMAND, Questions.command(agent, "rm x")).string("decision_id");
    Reply third = service.owner().post(MESSAGE, Questions.message(agent));
    String message = third.string("decision_id");
    Questions.status(service, agent, "suspended");
    String mine = "agent_id=" + agent;

    assertThat(ids(service, mine + "&kind=decision")).containsExactly(message, denied, allowed);
    assertThat(ids(service, mine + "&allow=true")).containsExactly(message, allowed);
    assertThat(ids(service, mine + "&allow=false")).containsExactly(denied);
    assertThat(ids(service, mine + "&code=oap.command_not_allowed")).containsExactly(denied);
    assertThat(ids(service, mine + "&policy_id=messaging.message.send.v1"))
        .containsExactly(message);
    assertThat(ids(service, mine + "&kind=status_change")).hasSize(1);
    assertThat(ids(service, mine + "&kind=passport_issued")).hasSize(1);
    assertThat(ids(service, mine)).hasSize(5);
    String uuid =
        agent.substring(3).replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
    assertThat(ids(service, "agent_id=" + uuid)).hasSize(5);

    String at = third.string("issued_at");
    assertThat(ids(service, mine + "&kind=decision&from=" + at)).contains(message);
    assertThat(ids(service, mine + "&kind=decision&to=" + at)).doesNotContain(message);
    assertThat(ids(service, mine + "&from=2999-01-01T00:00:00%2B01:00")).isEmpty();
    assertThat(ids(service, "agent_id=nobody%00")).isEmpty();
    assertThat(ids(service, mine + "&policy_id=%00&code=%00")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void pagesWithoutGapsOrRepeats(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 50);
    for (int i = 0; i < 7; i++) {
      service.owner().post(COMMAND, Questions.command(agent, "ls " + i));
    }
    List<String> all = ids(service, "limit=200&agent_id=" + agent);
    assertThat(all).hasSize(8).doesNotHaveDuplicates();
    var paged = new ArrayList<String>();
    String cursor = "";
    while (true) {
      Reply page = service.owner().get("/api/audit?limit=3&agent_id=" + agent + cursor);
      JsonObject answer = page.json();
      assertThat(answer.names()).containsExactlyInAnyOrder("records", "next_cursor", "ok");
      JsonArray records = answer.array("records").orElseThrow();
      assertThat(records.size()).isBetween(1, 3);
      each(records).forEach(record -> paged.add(record.string("record_id").orElseThrow()));
      // What happens meanwhile is newer and moves nothing.
      service.owner().post(COMMAND, Questions.command(agent, "ls later"));
      if (answer.string("next_cursor").isEmpty()) {
        break;
      }
      cursor = "&cursor=" + answer.string("next_cursor").orElseThrow();
    }
    assertThat(paged).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kind=nothing",
        "allow=maybe",
        "allow=",
        "from=yesterday",
        "from=2026-01-01",
        "to=5",
        "from=%2B999999999-12-31T23:59:59Z",
        "to=-999999999-01-01T00:00:00Z",
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=x",
        "limit=99999999999",
        "cursor=x",
        "cursor=-1",
        "cursor=99999999999999999999",
        "agent_id="
      })
  void namesTheParameterAtFault(String query) {
    Reply reply = services.on(EachStore.SQLITE).owner().get("/api/audit?" + query);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
    assertThat(reply.string("field")).isEqualTo(query.substring(0, query.indexOf('=')));
  }

  @Test
  void aKindThatDoesNotExistIsAnsweredWithThoseThatDo() {
    Reply reply = services.on(EachStore.SQLITE).owner().get("/api/audit?kind=decisions");
    assertThat(reply.string("message")).contains("one of decision, status_change", "erasure.");
  }

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void showsADecisionAsItWasAnswered(EachStore store) {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    Reply answer = service.owner().post(COMMAND, Questions.command(agent, "rm -rf /"));
    JsonObject decision = answer.json().object("decision").orElseThrow();
    String id = answer.string("decision_id");
    for (String path : List.of("/api/decisions/", "/api/verify/decisions/get/")) {
      JsonObject found = service.owner().get(path + id).json();
      assertThat(found.object("decision")).contains(decision);
      assertThat(found.without("decision")).isEqualTo(decision);
    }
    JsonObject record = service.owner().get("/api/audit/" + id).json();
    assertThat(record.string("record_id")).contains(id);
    assertThat(record.string("kind")).contains("decision");
    assertThat(record.string("code")).contains(Questions.code(answer));
    assertThat(record.object("body")).contains(decision.without("log_index").without("signature"));
    JsonObject details = record.object("details").orElseThrow();
    assertThat(details.string("request_id")).isEqualTo(answer.header("X-Request-Id"));
    assertThat(details.string("address")).contains("127.0.0.1");
    assertThat(details.string("caller")).isPresent();
    assertThat(details.object("context").orElseThrow().string("command")).contains("rm -rf /");
  }

  /** Whoever asks from another organization learns nothing, not even that there is something. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void keepsTenantsApart(EachStore store) {
    TestService service = services.on(store);
    Questions.Tenant other = Questions.Tenant.made(service, "Other", "'read', 'read_audit'");
    String agent = Questions.hosted(service, 5);
    Reply answer = service.owner().post(COMMAND, Questions.command(agent, "ls"));
    String id = answer.string("decision_id");
    String unknown = "00000000-0000-7000-8000-000000000000";
    Calls theirs = service.withKey(other.key());
    for (String path : List.of("/api/decisions/", "/api/verify/decisions/get/", "/api/audit/")) {
      Reply refused = theirs.get(path + id);
      assertThat(refused.status()).as(path).isEqualTo(404);
      assertThat(masked(refused, id)).isEqualTo(masked(theirs.get(path + unknown), unknown));
      assertThat(service.owner().get(path + id).status()).isEqualTo(200);
      assertThat(service.admin().get(path + id).status()).isEqualTo(200);
      assertThat(service.admin().get(path + id + "?org_id=" + other.org()).status()).isEqualTo(404);
      for (String odd : List.of("x", "%00", id.substring(1), id + "0", "'")) {
        assertThat(service.owner().get(path + odd).status()).as(odd).isEqualTo(404);
      }
    }
    for (String query :
        List.of("limit=200", "agent_id=" + agent, "limit=200&org_id=" + service.org())) {
      assertThat(each(Questions.records(theirs, query)))
          .as(query)
          .allSatisfy(record -> assertThat(record.string("org_id")).contains(other.org()));
    }
    assertThat(service.nobody().get("/api/audit").status()).isEqualTo(401);
    String reader = Questions.newKey(service, service.org(), "{'name': 'r', 'scopes': ['read']}");
    assertThat(service.withKey(reader).get("/api/audit").status()).isEqualTo(403);
    assertThat(service.withKey(reader).get("/api/decisions/" + id).status()).isEqualTo(403);
  }

  private static JsonObject masked(Reply reply, String id) {
    JsonObject error = Calls.json(reply.text().replace(id, "ID").replace('\'', ' '));
    return error.without("request_id").without("timestamp");
  }

  @Test
  void keepsNoSecrets() {
    String agent = Questions.hosted(services.on(EachStore.SQLITE), 5);
    JsonObject question =
        Calls.json(
            """
            {'context': {'agent_id': '%s', 'command': 'curl -H "Authorization: Bearer s3cr3tt0ken"',
               'env': {'DB_PASSWORD': 's3cr3tt0ken', 'HOME': '/home/x'},
               'tokens': ['s3cr3tt0ken', {'deep': 's3cr3tt0ken'}],
               'input': '{\\"password\\": \\"s3cr3tt0ken\\"}',
               'content': '%s'}}
            """
                .formatted(agent, "long ".repeat(300))
                .replace("\"Auth", "\\\"Auth")
                .replace("0ken\"'", "0ken\\\"'"));
    Reply answer = services.on(EachStore.SQLITE).owner().post(COMMAND + "?explain=true", question);
    String id = answer.string("decision_id");
    String kept = services.on(EachStore.SQLITE).owner().get("/api/audit/" + id).text();
    assertThat(kept).doesNotContain("s3cr3t").doesNotContain("long long");
    assertThat(kept).contains("[redacted hmac-sha256:", "length:1500]", "/home/x");
    assertThat(answer.json().array("trace").map(JsonValue::toString).orElseThrow())
        .doesNotContain("s3cr3t");
    assertThat(services.on(EachStore.SQLITE).owner().get("/api/decisions/" + id).text())
        .doesNotContain("s3cr3t");
    assertThat(answer.json().array("reasons").orElseThrow().toString()).doesNotContain("s3cr3t");
  }
}
