package dev.safeconduct.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.ClientReading;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.MovableClock;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What open clients of the hosted service send, and whether each finds in our answers what it looks
 * for: the shapes stand in {@code clients/requests.jsonl} and are sent in that order, as who sends
 * them in {@code clients/clients.json}, to the real service on both stores.
 */
final class OpenClientsTest {
  private static final JsonObject CLIENTS = CaseFile.object("clients/clients.json");
  private static final List<JsonObject> REQUESTS = CaseFile.objects("clients/requests.jsonl");

  // The clock stands: a passport that some client sends expires one day.
  @AutoClose private static final TestService sqlite = started(EachStore.SQLITE);
  @AutoClose private static final TestService postgres = started(EachStore.POSTGRES);

  private static TestService started(EachStore store) {
    return store.start(Map.of("ANONYMOUS_VERIFY", "true"), new MovableClock());
  }

  @TestFactory
  List<DynamicTest> onSqlite() {
    return replay(new Replay(sqlite));
  }

  @TestFactory
  List<DynamicTest> onPostgres() {
    return replay(new Replay(postgres));
  }

  private static List<DynamicTest> replay(Replay replay) {
    assertThat(REQUESTS).hasSize(173);
    return REQUESTS.stream()
        .map(request ->
            DynamicTest.dynamicTest(
                number(request) + " " + text(request, "client") + " " + text(request, "path"),
                () -> replay.send(request)))
        .toList();
  }

  /** One service and the names of what is in it. */
  private static final class Replay {
    private final TestService service;
    private final Map<String, String> names = new HashMap<>();

    private Replay(TestService service) {
      this.service = service;
      names.put("org", service.org());
      for (String name : List.of("agent", "suspended", "revoked")) {
        JsonObject passport =
            CLIENTS.object("hosted").orElseThrow().toBuilder()
                .put("agent_id", "ap_" + name)
                .put("slug", name.equals("agent") ? "refund-bot" : name)
                .build();
        Reply made = service.admin().post("/api/admin/create", passport);
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        names.put(name, "ap_" + name);
      }
    }

    private void send(JsonObject request) {
      names.put("n", String.format(Locale.ROOT, "%08d", number(request)));
      JsonObject client = object(CLIENTS.object("clients"), text(request, "client"));
      String path = named(text(request, "path"));
      Calls calls = caller(path, text(client, "credential"));
      for (String header : object(client, "headers").names()) {
        calls = calls.with(header, text(object(client, "headers"), header));
      }
      // Clients set the content type on every request, those without a body included.
      calls = calls.with("Content-Type", "application/json");
      Reply reply = calls.send(text(request, "method"), path, body(request));
      assertThat(reply.status()).as(reply.toString()).isEqualTo(number(request, "status"));
      if (reply.status() >= 400) {
        error(reply, path);
        return;
      }
      for (JsonValue member : request.array("members").orElse(JsonArray.EMPTY).elements()) {
        String name = ((JsonString) member).value();
        assertThat(at(reply.json(), name)).as(name + " of " + reply).isPresent();
      }
      if (request.has("allow")) {
        decision(request, client, reply);
      }
      if (path.equals("/jwks.json")) {
        assertThat(reply.json().names()).containsExactly("keys");
      }
      reply
          .json()
          .object("webhook")
          .flatMap(webhook -> webhook.string("webhook_id"))
          .ifPresent(id -> names.put("webhook", id));
    }

    private Calls caller(String path, String credential) {
      if (path.startsWith("/api/admin") || path.equals("/api/metrics")) {
        return service.admin();
      }
      return credential.equals("none")
          ? service.nobody()
          : service.nobody().with("Authorization", "Bearer " + service.key());
    }

    private String body(JsonObject request) {
      JsonObject body = request.object("body").orElse(JsonObject.EMPTY);
      for (String name : List.of("passport", "policy")) {
        if (body.get(name) instanceof JsonString(String reference)) {
          body = body.with(name, object(CLIENTS.object("bodies"), reference.substring(1)));
        }
      }
      return request.object("body").isEmpty() ? "" : named(Json.text(body));
    }

    private String named(String text) {
      String result = text;
      for (Map.Entry<String, String> name : names.entrySet()) {
        result = result.replace("${" + name.getKey() + "}", name.getValue());
      }
      return result;
    }
  }

  private static void decision(JsonObject request, JsonObject client, Reply reply) {
    assertThat(reply.json().has("error") || reply.json().has("data")).isFalse();
    List<String> readings = client.array("reads").orElseThrow().texts();
    assertThat(readings).isNotEmpty();
    for (String reading : readings) {
      ClientReading.valueOf(reading.toUpperCase(Locale.ROOT))
          .finds(reply.json(), request.isTrue("allow"), text(request, "code"));
    }
  }

  /** What clients print or branch on when something went wrong. */
  private static void error(Reply reply, String path) {
    JsonObject error = reply.json();
    assertThat(error.string("error").orElse("")).isNotEmpty();
    assertThat(error.string("error")).isEqualTo(error.string("code"));
    assertThat(error.string("message").orElse("")).isNotEmpty();
    assertThat(error.object("details")).isPresent();
    JsonObject reason = (JsonObject) error.array("reasons").orElseThrow().get(0);
    assertThat(reason.string("code").orElse("")).startsWith("oap.");
    assertThat(reason.string("message")).isEqualTo(error.string("message"));
    if (path.contains("/verify/policy/")) {
      assertThat(error.has("allow")).isTrue();
      assertThat(error.isTrue("allow")).isFalse();
    }
  }

  private static Optional<JsonValue> at(JsonObject object, String path) {
    int dot = path.indexOf('.');
    if (dot > 0) {
      return object
          .object(path.substring(0, dot))
          .flatMap(inner -> at(inner, path.substring(dot + 1)));
    }
    JsonValue value = object.get(path);
    // A token may be null: it says that there is none.
    return value == JsonNull.NULL && !path.equals("token")
        ? Optional.empty()
        : Optional.ofNullable(value);
  }

  private static long number(JsonObject request) {
    return number(request, "n");
  }

  private static long number(JsonObject object, String name) {
    return Questions.number(object, name);
  }

  private static String text(JsonObject object, String name) {
    return object.string(name).orElseThrow(() -> new AssertionError(name + " of " + object));
  }

  private static JsonObject object(JsonObject object, String name) {
    return object(Optional.of(object), name);
  }

  private static JsonObject object(Optional<JsonObject> object, String name) {
    return object
        .flatMap(outer -> outer.object(name))
        .orElseThrow(() -> new AssertionError("no " + name));
  }
}
