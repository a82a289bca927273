package dev.safeconduct.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Documented;
import dev.safeconduct.testkit.OpenApi;
import dev.safeconduct.testkit.OpenApi.Operation;
import dev.safeconduct.testkit.ReceiverTls;
import dev.safeconduct.testkit.RecordingSockets;
import dev.safeconduct.testkit.Records;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.testkit.TestTicker;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every example of the contract is what the running service takes and answers. The steps stand in
 * {@code openapi-examples.json}: which example is sent in which operation, and which examples the
 * answer has to be; {@link Documented} tells what may differ.
 */
final class DocumentedExamplesTest {
  private static final OpenApi API = OpenApi.published();
  private static final String ORGANIZATION = "org_019aa5b0c7e07a1b8c2d3e4f5a6b7c8d";
  private static final Documented DOCUMENTED = new Documented();

  /** Examples the steps have used, by their pointers. */
  private static final TreeSet<String> USED = new TreeSet<>();

  /** Texts that were sent or answered, in documented words. */
  private static final TreeSet<String> TEXTS = new TreeSet<>();

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before all tests
  static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static TestService service;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedReceiver receiver;

  private static volatile String receiverStatus = "200";

  @BeforeAll
  static void start() throws Exception {
    SSLContext tls = ReceiverTls.context(folder, "dns:hooks.example.com");
    receiver =
        ReceiverTls.start(
            tls,
            (connection, _) -> {
              connection.request();
              connection.send("HTTP/1.1 " + receiverStatus + " So\r\nContent-Length: 0\r\n\r\n");
            });
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), receiver.port());
    service =
        TestService.start(
            folder.resolve("data"),
            Map.of(
                "BASE_URL",
                "http://127.0.0.1:8080",
                "WEBHOOK_PRIVATE_NETWORKS",
                "allow",
                "MCP_SERVER",
                "true"),
            new WebhookDependencies(
                _ -> List.of(InetAddress.getLoopbackAddress()),
                RecordingSockets.that((socket, _, timeout) -> socket.connectTo(address, timeout)),
                () -> tls,
                new TestTicker(),
                () -> 0.5));
    DOCUMENTED.name(ORGANIZATION, service.org());
    Records.setUp(service, service.org());
  }

  @AfterAll
  static void stop() {
    service.close();
    receiver.close();
  }

  @Test
  void everyExampleIsWhatTheServiceTakesAndAnswers() throws IOException, JsonFault {
    var operations = new LinkedHashMap<String, Operation>();
    API.operations().forEach(operation -> operations.put(operation.id(), operation));
    var wrong = new ArrayList<String>();
    for (JsonObject step : CaseFile.objects("openapi-examples.json")) {
      Operation operation =
          Objects.requireNonNull(operations.get(step.string("operation").orElseThrow()));
      wrong.addAll(play(step, operation));
    }
    assertThat(wrong).isEmpty();
    var unused = new TreeSet<String>();
    collect(API.document(), "#", unused);
    unused.removeAll(USED);
    assertThat(unused).as("examples that no step sends or expects").isEmpty();
  }

  private static List<String> play(JsonObject step, Operation operation) {
    receiverStatus = step.string("receiver").orElse("200");
    String status = step.string("status").orElseThrow();
    String body = step.object("body").map(Json::text).orElse("");
    if (step.string("request").isPresent()) {
      String pointer = pointer(operation.pointer() + "/requestBody", step.string("request").get());
      USED.add(pointer);
      body = Json.text(at(pointer));
      note(at(pointer));
    }
    String path = step.string("path").orElse(operation.path());
    TEXTS.addAll(List.of(path.split("/", -1)));
    Reply reply =
        calls(step).send(operation.method(), DOCUMENTED.named(path), DOCUMENTED.named(body));
    String about = operation.id() + " " + body + " -> ";
    if (reply.status() != Integer.parseInt(status)) {
      return List.of(about + reply);
    }
    var wrong = new ArrayList<String>();
    for (String answer : step.array("answer").orElse(JsonArray.EMPTY).texts()) {
      String[] words = answer.split(" within ", -1);
      String pointer = pointer(operation.pointer() + "/responses/" + status, words[0]);
      USED.add(pointer);
      note(at(pointer));
      JsonValue answered = words.length == 1 ? reply.value() : within(reply, words[1]);
      wrong.addAll(told(about + pointer, DOCUMENTED.differences(at(pointer), answered), answered));
    }
    if (step.string("received").isPresent()) {
      String pointer = pointer("", step.string("received").get());
      USED.add(pointer);
      JsonValue event = json(receiver.received().getLast().body());
      wrong.addAll(told(about + pointer, DOCUMENTED.differences(at(pointer), event), event));
    }
    step.object("names")
        .orElse(JsonObject.EMPTY)
        .forEach(
            (name, member) -> DOCUMENTED.name(name, reply.string(((JsonString) member).value())));
    return wrong;
  }

  private static List<String> told(String about, List<String> differences, JsonValue live) {
    return differences.isEmpty()
        ? List.of()
        : List.of(
            about + ": " + differences + "; in full " + DOCUMENTED.documented(Json.text(live)));
  }

  private static Calls calls(JsonObject step) {
    return switch (step.string("as").orElse("owner")) {
      case "owner" -> service.owner();
      case "admin" -> service.admin();
      case "nobody" -> service.nobody();
      default -> throw new AssertionError(step);
    };
  }

  /** The member of that name; of an array its first element. */
  private static JsonValue within(Reply reply, String member) {
    JsonValue value = Objects.requireNonNull(reply.json().get(member), reply.toString());
    return value instanceof JsonArray array ? array.get(0) : value;
  }

  /** Where an example stands: in the operation's content, in its schema, or in one by its name. */
  private static String pointer(String holder, String example) {
    String content = holder + "/content/application~1json";
    if (example.equals("example")) {
      return content + "/example";
    }
    if (example.equals("schema")) {
      return content + "/schema/examples/0";
    }
    return example.startsWith("examples/")
        ? content + "/" + example + "/value"
        : "#/components/schemas/" + example + "/examples/0";
  }

  private static JsonValue at(String pointer) {
    if (pointer.endsWith("/examples/0")) {
      String holder = pointer.substring(0, pointer.length() - "/0".length());
      return ((JsonArray) API.at(holder).orElseThrow(() -> new AssertionError(pointer))).get(0);
    }
    return API.at(pointer).orElseThrow(() -> new AssertionError(pointer));
  }

  /** The pointers of all examples but those of single texts. */
  private static void collect(JsonValue value, String at, Set<String> found) {
    if (!(value instanceof JsonObject object)) {
      return;
    }
    object.forEach((name, inner) -> {
      String pointer = at + "/" + name.replace("~", "~0").replace("/", "~1");
      if (name.equals("example") && inner instanceof JsonObject) {
        found.add(pointer);
      } else if (name.equals("example") && inner instanceof JsonString example) {
        assertThat(TEXTS).as(pointer).contains(example.value());
      } else if (name.equals("examples") && inner instanceof JsonArray examples) {
        if (examples.get(0) instanceof JsonObject) {
          assertThat(examples.size()).as(pointer).isEqualTo(1);
          found.add(pointer + "/0");
        } else {
          assertThat(examples.texts()).as(pointer).allMatch(TEXTS::contains);
        }
      } else if (name.equals("examples") && inner instanceof JsonObject examples) {
        examples.names().forEach(each -> found.add(pointer + "/" + each + "/value"));
      } else {
        collect(inner, pointer, found);
      }
    });
  }

  private static void note(JsonValue value) {
    switch (value) {
      case JsonObject object -> object.forEach((_, inner) -> note(inner));
      case JsonArray array -> array.forEach(DocumentedExamplesTest::note);
      case JsonString text -> TEXTS.add(text.value());
      default -> {}
    }
  }

  private static JsonValue json(byte[] body) {
    try {
      return Json.parse(body);
    } catch (JsonFault e) {
      throw new AssertionError("no JSON", e);
    }
  }
}
