package dev.safeconduct.verify.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who holds tokens hears of what they rest on, on whichever node it changed. */
@Timeout(60)
final class RevocationsTest {
  @SuppressWarnings("NullAway.Init") // set before all tests
  @TempDir
  static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static TestService one;

  @SuppressWarnings("NullAway.Init")
  private static TestService two;

  @BeforeAll
  static void start() {
    Map<String, String> settings = EachStore.POSTGRES.settings();
    one = TestService.start(folder.resolve("one"), settings);
    two = TestService.start(folder.resolve("two"), settings);
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
  }

  /** A stream of server-sent events. */
  private static final class Stream implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final TestService service;
    private final String key;
    private BufferedReader lines;
    private String id;

    Stream(TestService service, String key, String after) throws Exception {
      this.service = service;
      this.key = key;
      this.id = after;
      this.lines = open();
    }

    /** Comes again where the node was not sure to hear of everything, as clients do. */
    private BufferedReader open() throws Exception {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(service.base() + "api/revocations"))
              .header("X-API-Key", key)
              .header("Accept", "text/event-stream");
      if (!id.isEmpty()) {
        request.header("Last-Event-ID", id);
      }
      var answer = client.send(request.build(), BodyHandlers.ofInputStream());
      while (answer.statusCode() == 503) {
        answer = client.send(request.build(), BodyHandlers.ofInputStream());
      }
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
      var opened = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
      assertThat(opened.readLine()).startsWith("retry:");
      id = opened.readLine().substring("id: ".length());
      return opened;
    }

    /** The next event's name and data; empty at the end of the stream. */
    Optional<String> next() throws IOException {
      String name = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event: ")) {
          name = line.substring("event: ".length());
        } else if (line.startsWith("id: ")) {
          id = line.substring("id: ".length());
        } else if (line.startsWith("data: ")) {
          return Optional.of(name + " " + line.substring("data: ".length()));
        }
      }
      return Optional.empty();
    }

    JsonObject revocation() throws Exception {
      Optional<String> heard = next();
      while (heard.isEmpty()) {
        lines = open();
        heard = next();
      }
      String event = heard.get();
      assertThat(event).startsWith("revocation ");
      return Json.parseObject(
          event.substring("revocation ".length()).getBytes(StandardCharsets.UTF_8));
    }

    String id() {
      return id;
    }

    @Override
    public void close() {
      client.shutdownNow();
      client.close();
    }
  }

  @Test
  void theOtherNodeTellsOfPassportsKeysAndSigningKeys() throws Exception {
    String agent = Questions.hosted(one, 5);
    Reply key =
        one.owner()
            .post(
                "/api/orgs/" + one.org() + "/keys",
                Calls.json("{'name': 'k', 'scopes': ['read']}"));
    String cursor = two.withKey(one.key()).get("/api/revocations").string("next_cursor");
    try (Stream stream = new Stream(two, one.key(), "")) {
      Questions.status(one, agent, "suspended");
      JsonObject event = stream.revocation();
      while (!event.string("agent_id").equals(Optional.of(agent))
          || !event.string("status").equals(Optional.of("suspended"))) {
        event = stream.revocation(); // of the setting up, where this node was behind
      }
      assertThat(event.string("type")).contains("passport");
      one.owner().delete("/api/orgs/" + one.org() + "/keys/" + key.string("key_id"));
      JsonObject revoked = stream.revocation();
      assertThat(revoked.string("key_id")).contains(key.string("key_id"));
      assertThat(revoked.isTrue("usable")).isFalse();
      one.admin().post("/api/admin/signing-keys/rotate", "{\"purpose\": \"decision_token\"}");
      assertThat(stream.revocation().string("type")).contains("signing_keys");
      // Who comes again with the last id misses nothing and hears nothing twice.
      String last = stream.id();
      Questions.status(one, agent, "active");
      try (Stream again = new Stream(two, one.key(), last)) {
        assertThat(again.revocation().string("status")).contains("active");
      }
    }
    assertThat(types(two.withKey(one.key()), cursor))
        .containsSubsequence("passport", "key", "signing_keys", "passport");
  }

  private static List<String> types(Calls calls, String cursor) {
    var types = new ArrayList<String>();
    Reply page = calls.get("/api/revocations?cursor=" + cursor + "&wait_ms=5000");
    assertThat(page.json().isTrue("reset")).isFalse();
    for (JsonValue event : page.json().array("revocations").orElseThrow()) {
      types.add(((JsonObject) event).string("type").orElseThrow());
    }
    return types;
  }

  @Test
  void anotherOrganizationAndASetupKeyHearOnlyTheirOwn() throws Exception {
    String agent = Questions.hosted(one, 5);
    String own = Questions.hosted(one, 5);
    String setup =
        one.owner()
            .post(
                "/api/passports/" + own + "/setup-key",
                Calls.json("{'name': 's', 'scopes': ['read']}"))
            .string("key");
    Questions.Tenant other = Questions.Tenant.made(one, "Other", "'read'");
    Calls theirs = one.withKey(other.key());
    Calls bound = one.withKey(setup);
    String from = theirs.get("/api/revocations").string("next_cursor");
    Questions.status(one, agent, "suspended");
    Questions.status(one, own, "suspended");
    assertThat(types(theirs, from)).isEmpty();
    Reply heard = bound.get("/api/revocations?cursor=" + from);
    assertThat(heard.text()).contains(own).doesNotContain(agent);
    assertThat(one.nobody().get("/api/revocations").status()).isEqualTo(401);
  }

  @Test
  void aCursorNobodyRemembersIsAReset() throws Exception {
    String far = Long.toString(1L << 40);
    Reply page = one.owner().get("/api/revocations?cursor=" + far);
    assertThat(page.json().isTrue("reset")).isTrue();
    assertThat(Long.parseLong(page.string("next_cursor"))).isLessThan(1L << 40);
    try (Stream stream = new Stream(one, one.key(), far)) {
      assertThat(stream.next().orElseThrow()).startsWith("reset ");
    }
    for (String wrong : List.of("cursor=-1", "cursor=x", "wait_ms=-1", "wait_ms=99999")) {
      assertThat(one.owner().get("/api/revocations?" + wrong).status()).isEqualTo(400);
    }
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStreamEndsWhenItsKeyIsLimitedToOtherAddresses() throws Exception {
    String keys = "/api/orgs/" + one.org() + "/keys";
    Reply key = one.owner().post(keys, Calls.json("{'name': 'k', 'scopes': ['read']}"));
    try (Stream stream = new Stream(one, key.string("key"), "")) {
      Reply limited =
          one.owner()
              .patch(keys + "/" + key.string("key_id"), "{\"allowed_sources\": [\"192.0.2.1\"]}");
      assertThat(limited.status()).as(limited.toString()).isEqualTo(200);
      Optional<String> last = stream.next();
      while (last.isPresent()) {
        last = stream.next();
      }
    }
  }

  @Test
  void aStreamEndsWithItsKeyAndWithItsNode(@TempDir Path elsewhere) throws Exception {
    try (TestService node = TestService.start(elsewhere.resolve("node"), Map.of())) {
      Reply key =
          node.owner()
              .post(
                  "/api/orgs/" + node.org() + "/keys",
                  Calls.json("{'name': 'k', 'scopes': ['read']}"));
      try (Stream theirs = new Stream(node, key.string("key"), "");
          Stream ours = new Stream(node, node.key(), "")) {
        node.owner().delete("/api/orgs/" + node.org() + "/keys/" + key.string("key_id"));
        assertThat(ours.revocation().string("key_id")).contains(key.string("key_id"));
        Optional<String> last = theirs.next();
        while (last.isPresent()) {
          last = theirs.next();
        }
        node.stop();
        assertThat(ours.next()).isEmpty();
      }
    }
  }
}
