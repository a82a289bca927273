package dev.safeconduct.authzen;

import static dev.safeconduct.testkit.Records.message;
import static dev.safeconduct.testkit.Records.question;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Searches of AuthZEN callers among what packs list, hosted agents and packs. */
final class AuthzenSearchTest {
  @AutoClose private static final TestService service = TestService.start();

  @BeforeAll
  static void start() {
    Records.setUp(service, service.org());
  }

  private static JsonObject search(String kind, JsonObject body) {
    Reply reply = service.owner().post("/access/v1/search/" + kind, body);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json();
  }

  @Test
  void nothingIsRecordedOfASearch() {
    long before = Questions.newestRecord(service);
    search(
        "subject",
        question("{'type': 'user'}", "{'name': 'read'}", "{'type': 'record', 'id': 'record-1'}"));
    assertThat(Questions.newestRecord(service)).isEqualTo(before);
  }

  @Test
  void searchesForAgentsGoThroughTheHostedOnes() {
    var tenant = Questions.Tenant.made(service, "Searched", "'read'");
    var wanted = new ArrayList<JsonValue>();
    for (int i = 0; i < 7; i++) {
      String agent =
          Questions.hosted(service, tenant.org(), Questions.passport(Questions.freshAgent(), 9));
      if (i == 3) {
        Questions.status(service, agent, "suspended");
      } else {
        wanted.addFirst(Calls.json("{'type': 'agent', 'id': '" + agent + "'}"));
      }
    }
    Questions.hosted(service, tenant.org(), Calls.json("{'name': 'Idle', 'slug': 'idle'}"));
    JsonObject body = message("x", "team").with("subject", Calls.json("{'type': 'agent'}"));
    var found = new ArrayList<JsonValue>();
    String token = "";
    int pages = 0;
    do {
      JsonObject page = JsonObject.builder().put("limit", 2).put("token", token).build();
      Reply reply =
          service.withKey(tenant.key()).post("/access/v1/search/subject", body.with("page", page));
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      JsonArray results = reply.json().array("results").orElseThrow();
      assertThat(results.size()).isEqualTo(2);
      found.addAll(results.elements());
      token = reply.json().object("page").orElseThrow().string("next_token").orElseThrow();
      pages++;
    } while (!token.isEmpty());
    assertThat(found).containsExactlyElementsOf(wanted);
    assertThat(pages).isEqualTo(3);
  }

  @Test
  void actionsOfAnAgentAreThePacksThatWouldAllowThem() {
    String agent = Questions.hosted(service, 100);
    JsonObject body =
        Calls.json(
            """
            {'subject': {'type': 'agent', 'id': '%s'},
             'resource': {'type': 'channel', 'id': 'team', 'properties': {'channel_id': 'team',
               'message': 'Done.', 'message_type': 'text'}}}
            """
                .formatted(agent));
    assertThat(Json.text(search("action", body).array("results").orElseThrow()))
        .isEqualTo("[{\"name\":\"messaging.message.send.v1\"}]");
  }

  @Test
  void pagesOfOneSearchAreNoPagesOfAnother() {
    JsonObject alice =
        question("{'type': 'user', 'id': 'alice'}", "{'name': 'read'}", "{'type': 'record'}");
    JsonObject bob =
        question("{'type': 'user', 'id': 'bob'}", "{'name': 'read'}", "{'type': 'record'}");
    JsonObject first = search("resource", alice.with("page", Calls.json("{'limit': 1}")));
    String token = first.object("page").orElseThrow().string("next_token").orElseThrow();
    assertThat(token).isNotEmpty();
    JsonObject next = Calls.json("{'token': '" + token + "'}");
    JsonObject second = search("resource", alice.with("page", next));
    assertThat(Json.text(second))
        .isEqualTo(
            "{\"page\":{\"next_token\":\"\",\"count\":1},"
                + "\"results\":[{\"type\":\"record\",\"id\":\"record-2\"}]}");
    String path = "/access/v1/search/resource";
    assertThat(service.owner().post(path, bob.with("page", next)).status()).isEqualTo(400);
    JsonObject other = Calls.json("{'limit': 2, 'token': '" + token + "'}");
    assertThat(service.owner().post(path, alice.with("page", other)).status()).isEqualTo(400);
    // None at all, and yet there are some.
    JsonObject none = search("resource", alice.with("page", Calls.json("{'limit': 0}")));
    assertThat(none.array("results").orElseThrow().isEmpty()).isTrue();
    String start = none.object("page").orElseThrow().string("next_token").orElseThrow();
    assertThat(start).isNotEmpty();
    // The same request again has not lost its place, and any limit goes on from there.
    JsonObject again =
        search(
            "resource",
            alice.with("page", Calls.json("{'limit': 0, 'token': '%s'}".formatted(start))));
    assertThat(again).isEqualTo(none);
    for (String page : List.of("{'token': '%s'}", "{'limit': 5, 'token': '%s'}")) {
      JsonObject all = search("resource", alice.with("page", Calls.json(page.formatted(start))));
      assertThat(all.array("results").orElseThrow().size()).as(page).isEqualTo(2);
    }
  }
}
