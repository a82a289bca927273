package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.webhook.delivery.Resolver;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;

/**
 * A service whose webhooks wait in no time, ask a resolver of the test, and connect to this machine
 * only; jitter is off.
 */
public final class WebhookRig implements AutoCloseable {
  public final TestTicker ticker = new TestTicker();
  public final RecordingSockets sockets = new RecordingSockets();
  public final TestService service;

  /** What names stand for; others are not known. */
  public final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Path folder;

  public WebhookRig(Path folder, Map<String, String> settings) {
    this(folder, settings, trusted());
  }

  public WebhookRig(Path folder, Map<String, String> settings, SSLContext tls) {
    this.folder = folder;
    this.service =
        TestService.start(
            folder,
            settings,
            new WebhookDependencies(resolver(), sockets, () -> tls, ticker, () -> 0.5));
  }

  /** What this machine trusts. */
  public static SSLContext trusted() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** Settings with which organizations may have receivers on this machine. */
  public static Map<String, String> open(Map<String, String> more) {
    var settings = new HashMap<>(more);
    settings.put("WEBHOOK_PRIVATE_NETWORKS", "allow");
    return settings;
  }

  private Resolver resolver() {
    return name -> {
      asked.add(name);
      List<InetAddress> found = names.get(name);
      if (found == null) {
        throw new UnknownHostException(name);
      }
      return found;
    };
  }

  /** The names that were looked up, in their order. */
  public List<String> asked() {
    return asked;
  }

  /** A new passport of the first organization. */
  public String agent() {
    return Questions.hosted(service, 1000);
  }

  /** Registers a webhook for one agent, with these members laid over; its answer's webhook. */
  public JsonObject webhook(String agent, String url, JsonObject more) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/webhooks",
                JsonObject.builder()
                    .put("url", url)
                    .put("target", "agent")
                    .put("target_id", agent)
                    .putAll(more)
                    .build());
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply.json().object("webhook").orElseThrow();
  }

  /** Suspends the agent; answers what became of telling receivers. */
  public JsonObject suspend(String agent) {
    return status(agent, "suspended");
  }

  public JsonObject status(String agent, String status) {
    Reply reply =
        service
            .owner()
            .post(
                "/api/admin/status",
                JsonObject.builder().put("agent_id", agent).put("status", status).build());
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply.json().object("webhook").orElseThrow();
  }

  /** A receiver's deliveries, newest first. */
  public List<JsonObject> deliveries(String webhookId) {
    return objects(service.admin().get("/api/webhooks/" + webhookId + "/deliveries"), "deliveries");
  }

  public static List<JsonObject> objects(Reply reply, String member) {
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    var objects = new ArrayList<JsonObject>();
    for (JsonValue each : reply.json().array(member).orElseThrow()) {
      objects.add((JsonObject) each);
    }
    return objects;
  }

  public Path deadLetterFile() {
    return folder.resolve("deadletter.jsonl");
  }

  /** The dead letters about the agent, oldest first. */
  public List<JsonObject> deadLetters(String agent) {
    if (!Files.exists(deadLetterFile())) {
      return List.of();
    }
    try {
      var letters = new ArrayList<JsonObject>();
      for (String line : Files.readAllLines(deadLetterFile())) {
        JsonObject letter = (JsonObject) Json.parse(line);
        if (letter.object("payload").orElseThrow().string("agent_id").orElseThrow().equals(agent)) {
          letters.add(letter);
        }
      }
      return letters;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonFault e) {
      throw new AssertionError("a dead letter is no JSON", e);
    }
  }

  public static JsonValue member(JsonObject object, String name) {
    return Objects.requireNonNullElse(object.get(name), JsonNull.NULL);
  }

  @Override
  public void close() {
    service.close();
  }
}
