package dev.safeconduct.webhook;

import static dev.safeconduct.testkit.WebhookRig.objects;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks of organizations: who sees and changes them, and where their secrets are. */
final class WebhookRegistrationTest {
  private static final String WEBHOOKS = "/api/webhooks";

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static WebhookRig rig;

  @SuppressWarnings("NullAway.Init")
  private static Calls owner;

  @SuppressWarnings("NullAway.Init")
  private static Calls stranger;

  @SuppressWarnings("NullAway.Init")
  private static String otherOrg;

  @BeforeAll
  static void start() {
    rig = new WebhookRig(folder.resolve("rig"), WebhookRig.open(Map.of()));
    owner = rig.service.owner();
    otherOrg = rig.service.admin().post("/api/orgs", "{\"name\": \"Other\"}").string("org_id");
    stranger =
        rig.service.withKey(
            rig.service
                .admin()
                .post(
                    "/api/orgs/" + otherOrg + "/keys",
                    Calls.json("{'name': 'k', 'scopes': ['manage_webhooks', 'status', 'issue']}"))
                .string("key"));
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  /** What the registering GitHub action sends. */
  @Test
  void takesWhatPublicClientsSend() {
    String agent = rig.agent();
    String secret = "36c2660011004f8ba73e701186b49207b90cde2451ac8c9f48154bcb66bd2e3c";
    Reply made =
        owner.post(
            WEBHOOKS,
            Calls.json(
                """
                {'target': 'agent', 'target_id': '%1$s', 'agent_id': '%1$s',
                 'url': 'http://127.0.0.1:9/hook', 'secret': '%2$s', 'active': true,
                 'events': ['status.changed', 'passport.updated', 'assurance.updated'],
                 'retry_attempts': 3, 'timeout_ms': 5000}
                """
                    .formatted(agent, secret)));
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    JsonObject webhook = made.json().object("webhook").orElseThrow();
    String id = webhook.string("webhook_id").orElseThrow();
    assertThat(made.header("Location")).contains(WEBHOOKS + "/" + id);
    assertThat(webhook.string("secret")).contains(secret);
    assertThat(webhook.string("target_id")).contains(agent);
    assertThat(webhook.array("events").orElseThrow().texts())
        .containsExactly("status.changed", "passport.updated", "assurance.updated");
    assertThat(made.json().array("warnings").orElseThrow().texts())
        .singleElement()
        .asString()
        .contains("passport.updated, assurance.updated", "status_change");

    Reply listed = owner.get(WEBHOOKS + "?target=agent&target_id=" + agent);
    assertThat(objects(listed, "webhooks"))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.string("webhook_id")).contains(id);
          assertThat(each.string("url")).contains("http://127.0.0.1:9/hook");
        });
    assertThat(owner.delete(WEBHOOKS + "/" + id).status()).isEqualTo(200);
    assertThat(objects(owner.get(WEBHOOKS + "?target=agent&target_id=" + agent), "webhooks"))
        .isEmpty();
    assertThat(owner.get(WEBHOOKS + "/" + id).status()).isEqualTo(404);
  }

  @Test
  void aSecretIsShownOnceAndNowhereElse() throws IOException {
    String agent = rig.agent();
    String given = "given-secret-that-nobody-else-may-see-4711";
    JsonObject made =
        rig.webhook(agent, "http://127.0.0.1:9/", Calls.json("{'secret': '" + given + "'}"));
    String id = made.string("webhook_id").orElseThrow();
    JsonObject other = rig.webhook(agent, "http://127.0.0.1:9/", JsonObject.EMPTY);
    String ours = other.string("secret").orElseThrow();
    assertThat(ours).matches("whsec_[A-Za-z0-9+/]{43}=");
    String rotated =
        owner
            .post(WEBHOOKS + "/" + id + "/rotate-secret", "")
            .json()
            .object("webhook")
            .orElseThrow()
            .string("secret")
            .orElseThrow();
    rig.suspend(agent);
    for (String path :
        List.of(
            WEBHOOKS,
            WEBHOOKS + "/" + id,
            WEBHOOKS + "/" + id + "/deliveries",
            "/api/audit?kind=webhook_changed")) {
      assertThat(owner.get(path).text()).doesNotContain(given, ours, rotated).contains(id);
    }
    assertThat(owner.patch(WEBHOOKS + "/" + id, "{\"active\": false}").text())
        .doesNotContain(given, ours, rotated);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(given, ours, rotated);
      }
    }
  }

  @Test
  void everyChangeIsRecordedWithoutPathAndQuery() {
    String agent = rig.agent();
    String id =
        rig.webhook(agent, "https://hooks.example.com:8443/services/T0KEN?key=v", JsonObject.EMPTY)
            .string("webhook_id")
            .orElseThrow();
    assertThat(owner.patch(WEBHOOKS + "/" + id, "{\"active\": false}").status()).isEqualTo(200);
    assertThat(owner.post(WEBHOOKS + "/" + id + "/rotate-secret", "").status()).isEqualTo(200);
    assertThat(owner.delete(WEBHOOKS + "/" + id).status()).isEqualTo(200);
    List<String> records =
        objects(owner.get("/api/audit?kind=webhook_changed&limit=4"), "records").stream()
            .map(Json::text)
            .toList();
    assertThat(records).hasSize(4).allMatch(text -> text.contains(id));
    assertThat(records.get(0)).contains("\"change\":\"deleted\"");
    assertThat(records.get(1)).contains("\"change\":\"secret_rotated\"");
    assertThat(records.get(2)).contains("\"change\":\"updated\"", "\"active\":false");
    assertThat(records.get(3))
        .contains("\"change\":\"created\"", "\"origin\":\"https://hooks.example.com:8443\"", agent);
    assertThat(records).noneMatch(text -> text.contains("T0KEN") || text.contains("key=v"));
  }

  @Test
  void unknownMembersAreNamedInWarningsAndMisspelledOnesRefused() {
    var body = new StringBuilder("{\"url\": \"https://hooks.example.com\"");
    for (int i = 0; i < 1_000; i++) {
      body.append(", \"unheard_of_").append(i).append("\": 0");
    }
    Reply made = owner.post(WEBHOOKS, body.append('}').toString());
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().array("warnings").orElseThrow().size()).isLessThan(110);
    String id = made.json().object("webhook").orElseThrow().string("webhook_id").orElseThrow();
    String rotate = WEBHOOKS + "/" + id + "/rotate-secret";
    Reply rotated = owner.post(rotate, "{\"why\": \"leaked\"}");
    assertThat(rotated.status()).isEqualTo(200);
    assertThat(rotated.json().array("warnings").orElseThrow().texts())
        .contains("why is not known here and is ignored.");
    Reply misspelled = owner.post(rotate, "{\"grace_second\": 0}");
    assertThat(misspelled.status()).isEqualTo(400);
    assertThat(misspelled.string("field")).isEqualTo("grace_second");
  }

  @TestFactory
  Stream<DynamicTest> badInputIsNamed() {
    String agent = rig.agent();
    return Stream.of(
            "url | {}",
            "url | {'url': 5}",
            "url | {'url': ''}",
            "url | {'url': 'hooks.example.com'}",
            "url | {'url': 'https://user@hooks.example.com'}",
            "url | {'url': 'https://hooks.example.com/LONG'}",
            "secret | {'url': 'https://hooks.example.com', 'secret': ''}",
            "secret | {'url': 'https://hooks.example.com', 'secret': 'whsec_!!!'}",
            "secret | {'url': 'https://hooks.example.com', 'secret': 'whsec_'}",
            "secret | {'url': 'https://hooks.example.com', 'secret': 'a\\nb'}",
            "secret | {'url': 'https://hooks.example.com', 'secret': 7}",
            "events | {'url': 'https://hooks.example.com', 'events': 'status_change'}",
            "events[0] | {'url': 'https://hooks.example.com', 'events': [1]}",
            "target | {'url': 'https://hooks.example.com', 'target': 'everybody'}",
            "target_id | {'url': 'https://hooks.example.com', 'target': 'agent'}",
            "agent_id | {'url': 'https://hooks.example.com', 'target': 'org', 'agent_id': 'AGENT'}",
            "agent_id | {'url': 'https://hooks.example.com', 'agent_id': 'ap_x', 'target_id': 'AGENT'}",
            "active | {'url': 'https://hooks.example.com', 'active': 'yes'}",
            "retry_attempts | {'url': 'https://hooks.example.com', 'retry_attempts': 11}",
            "retry_attempts | {'url': 'https://hooks.example.com', 'retry_attempts': 1.5}",
            "retry_delay_ms | {'url': 'https://hooks.example.com', 'retry_delay_ms': -1}",
            "timeout_ms | {'url': 'https://hooks.example.com', 'timeout_ms': 60001}")
        .map(line ->
            DynamicTest.dynamicTest(
                line,
                () -> {
                  String[] parts = line.split(" \\| ", 2);
                  String body =
                      Json.text(
                          Calls.json(
                              parts[1].replace("AGENT", agent).replace("LONG", "x".repeat(2048))));
                  Reply reply = owner.post(WEBHOOKS, body);
                  assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
                  assertThat(reply.string("field")).isEqualTo(parts[0]);
                }));
  }

  @Test
  void anOrganizationSeesOnlyItsOwn() {
    String agent = rig.agent();
    String id =
        rig.webhook(agent, "http://127.0.0.1:9/", JsonObject.EMPTY)
            .string("webhook_id")
            .orElseThrow();
    assertThat(stranger.get(WEBHOOKS).text()).doesNotContain(id);
    for (Reply reply :
        List.of(
            stranger.get(WEBHOOKS + "/" + id),
            stranger.patch(WEBHOOKS + "/" + id, "{\"active\": false}"),
            stranger.delete(WEBHOOKS + "/" + id),
            stranger.post(WEBHOOKS + "/" + id + "/rotate-secret", ""),
            stranger.get(WEBHOOKS + "/" + id + "/deliveries"),
            stranger.post(WEBHOOKS + "/" + id + "/redeliver", ""),
            stranger.get(WEBHOOKS + "?org_id=" + rig.service.org()),
            stranger.post(
                WEBHOOKS, "{\"url\": \"https://x.example.com\", \"agent_id\": \"" + agent + "\"}"),
            stranger.post(
                WEBHOOKS,
                "{\"url\": \"https://x.example.com\", \"target\": \"org\", \"target_id\": \""
                    + rig.service.org()
                    + "\"}"),
            stranger.post(
                WEBHOOKS,
                "{\"url\": \"https://x.example.com\", \"org_id\": \""
                    + rig.service.org()
                    + "\"}"))) {
      assertThat(reply.status()).as(reply.toString()).isEqualTo(404);
      assertThat(reply.text()).doesNotContain("127.0.0.1");
    }
    assertThat(owner.get(WEBHOOKS + "/" + id).status()).isEqualTo(200);
  }

  @Test
  void aTargetHasSoManyWebhooksAndNoMore() {
    String agent = rig.agent();
    JsonObject body =
        JsonObject.builder()
            .put("url", "https://hooks.example.com")
            .put("agent_id", agent)
            .put("active", false)
            .build();
    List<Integer> statuses = AtOnce.run(25, _ -> owner.post(WEBHOOKS, body).status());
    assertThat(statuses).containsOnly(201, 409);
    assertThat(statuses.stream().filter(status -> status == 201)).hasSize(20);
    String elsewhere =
        rig.webhook(rig.agent(), "https://hooks.example.com", JsonObject.EMPTY)
            .string("webhook_id")
            .orElseThrow();
    Reply moved = owner.patch(WEBHOOKS + "/" + elsewhere, "{\"agent_id\": \"" + agent + "\"}");
    assertThat(moved.status()).as(moved.toString()).isEqualTo(409);
    assertThat(owner.get(WEBHOOKS + "/" + elsewhere).text()).doesNotContain(agent);
  }

  @Test
  void listsComePageByPage() {
    String agent = rig.agent();
    for (int i = 0; i < 5; i++) {
      rig.webhook(agent, "https://hooks.example.com/" + i, Calls.json("{'active': false}"));
    }
    String list = WEBHOOKS + "?agent_id=" + agent + "&limit=2";
    Reply page = owner.get(list);
    var urls = new java.util.ArrayList<String>();
    while (true) {
      objects(page, "webhooks").forEach(each -> urls.add(each.string("url").orElseThrow()));
      if (page.json().string("next_cursor").isEmpty()) {
        break;
      }
      page = owner.get(list + "&cursor=" + page.string("next_cursor"));
    }
    assertThat(urls)
        .containsExactly(
            "https://hooks.example.com/4",
            "https://hooks.example.com/3",
            "https://hooks.example.com/2",
            "https://hooks.example.com/1",
            "https://hooks.example.com/0");
  }
}
