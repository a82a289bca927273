package dev.safeconduct.webhook.delivery;

import static dev.safeconduct.testkit.WebhookRig.member;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ScriptedReceiver;
import dev.safeconduct.testkit.WebhookRig;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * No connection is made to where none may go: neither by the webhook test nor by a delivery, in
 * whatever way the address is spelled, and whatever a name resolves to. The URLs stand in {@code
 * webhook/hostile-urls.json}.
 */
final class WebhookGuardTest {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static WebhookRig closed;

  /** Where loopback and private addresses are allowed. */
  @SuppressWarnings("NullAway.Init")
  private static WebhookRig open;

  /** Listens on this machine; nobody may come. */
  @SuppressWarnings("NullAway.Init")
  private static ScriptedReceiver listening;

  @BeforeAll
  static void start() {
    closed = new WebhookRig(folder.resolve("closed"), Map.of("WEBHOOK_PRIVATE_NETWORKS", "refuse"));
    open = new WebhookRig(folder.resolve("open"), WebhookRig.open(Map.of()));
    listening = ScriptedReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  }

  @AfterAll
  static void stop() {
    try {
      assertThat(listening.connections()).isZero();
    } finally {
      listening.close();
      open.close();
      closed.close();
    }
  }

  private static List<DynamicTest> each(Consumer<JsonObject> test) {
    List<DynamicTest> tests =
        CaseFile.tests("webhook/hostile-urls.json", WebhookGuardTest::title, test::accept);
    assertThat(tests).hasSizeGreaterThanOrEqualTo(40);
    return tests;
  }

  private static String title(JsonObject hostile) {
    String url = url(hostile);
    return hostile.string("about").map(about -> about + ": " + url).orElse(url);
  }

  @TestFactory
  List<DynamicTest> theWebhookTestConnectsNowhere() throws IOException, JsonFault {
    return each(hostile -> {
      checkTest(closed, hostile);
      if (hostile.isTrue("always")) {
        checkTest(open, hostile);
      }
    });
  }

  private static void checkTest(WebhookRig rig, JsonObject hostile) {
    name(rig, hostile);
    Reply reply =
        rig.service
            .admin()
            .post(
                "/api/admin/webhook-test",
                JsonObject.builder().put("webhook_url", url(hostile)).build());
    if (hostile.isTrue("bad_url")) {
      assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
      assertThat(reply.string("field")).isEqualTo("webhook_url");
    } else {
      assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
      assertThat(reply.json().isTrue("ok")).isTrue();
      JsonObject result = reply.json().object("result").orElseThrow();
      assertThat(result.string("error").orElseThrow())
          .contains(hostile.string("why").orElseThrow());
      assertThat(result.get("response_status")).isEqualTo(JsonNull.NULL);
    }
    assertThat(rig.sockets.connected()).isEmpty();
  }

  /** An organization cannot register what never is a receiver; of the rest nothing gets out. */
  @TestFactory
  List<DynamicTest> aDeliveryConnectsNowhere() throws IOException, JsonFault {
    return each(hostile -> {
      checkDelivery(closed, hostile);
      if (hostile.isTrue("always")) {
        checkDelivery(open, hostile);
      }
    });
  }

  private static void checkDelivery(WebhookRig rig, JsonObject hostile) {
    name(rig, hostile);
    String agent = rig.agent();
    Reply made =
        rig.service
            .owner()
            .post(
                "/api/webhooks",
                JsonObject.builder().put("url", url(hostile)).put("agent_id", agent).build());
    boolean shows = hostile.isTrue("bad_url") || (hostile.isTrue("always") && isPlain(hostile));
    assertThat(made.status()).as(made.toString()).isEqualTo(shows ? 400 : 201);
    if (shows) {
      assertThat(made.string("field")).isEqualTo("url");
      return;
    }
    if (!hostile.has("names")) {
      assertThat(made.json().array("warnings").orElseThrow().texts().getFirst())
          .contains(hostile.string("why").orElseThrow());
    }
    JsonObject told = rig.suspend(agent);
    assertThat(told.isTrue("sent")).isFalse();
    assertThat(member(told, "attempts")).isEqualTo(new JsonNumber(0));
    assertThat(told.string("error").orElseThrow()).contains(hostile.string("why").orElseThrow());
    if (!hostile.isTrue("always")) {
      assertThat(told.string("error").orElseThrow()).contains("WEBHOOK_PRIVATE_NETWORKS=allow");
    }
    assertThat(told.string("error").orElseThrow())
        .as("what the name stands for")
        .doesNotContainPattern("[0-9]{1,3}[.][0-9]|::|example");
    assertThat(rig.sockets.connected()).isEmpty();
    assertThat(rig.deadLetters(agent)).hasSize(1);
  }

  /** Whether the URL shows by itself what it is: no name has to be looked up. */
  private static boolean isPlain(JsonObject hostile) {
    return !hostile.has("names") || hostile.string("why").orElseThrow().startsWith("port ");
  }

  private static String url(JsonObject hostile) {
    return hostile
        .string("url")
        .orElseThrow()
        .replace("${port}", Integer.toString(listening.port()));
  }

  private static void name(WebhookRig rig, JsonObject hostile) {
    hostile
        .object("names")
        .orElse(JsonObject.EMPTY)
        .forEach((name, addresses) ->
            rig.names.put(
                name,
                ((JsonArray) addresses).texts().stream().map(InetAddress::ofLiteral).toList()));
  }

  /** A name that is honest when it is first asked for, and this machine from then on. */
  @Test
  void aNameThatIsBoundAnewIsJudgedAnew() {
    InetAddress honest = InetAddress.ofLiteral("93.184.216.34");
    String url = "http://rebinding.example.com:" + listening.port() + "/";
    closed.names.put("rebinding.example.com", List.of(honest));
    String agent = closed.agent();
    closed.webhook(agent, url, Calls.json("{'retry_attempts': 3}"));
    closed.ticker.onPause(
        () -> closed.names.put("rebinding.example.com", List.of(InetAddress.getLoopbackAddress())));

    JsonObject told = closed.suspend(agent);

    closed.ticker.onPause(() -> {});
    assertThat(closed.sockets.connected()).containsExactly("93.184.216.34");
    assertThat(told.string("error").orElseThrow()).contains("loopback");
    assertThat(member(told, "attempts")).isEqualTo(new JsonNumber(1));
  }

  /** The name is asked once for each try, and the answer that was judged is what is called. */
  @Test
  void aNameIsAskedOnceForATry() {
    closed.names.put("counted.example.com", List.of(InetAddress.ofLiteral("93.184.216.34")));
    closed.asked().clear();
    String agent = closed.agent();
    closed.webhook(agent, "http://counted.example.com/", Calls.json("{'retry_attempts': 0}"));
    assertThat(closed.asked()).as("registering looks nothing up").isEmpty();

    closed.suspend(agent);

    assertThat(closed.asked()).containsExactly("counted.example.com");
    assertThat(closed.sockets.connected()).containsExactly("93.184.216.34");
  }

  @Test
  void aRedirectToTheMetadataServiceIsNotFollowed() {
    try (ScriptedReceiver luring =
        ScriptedReceiver.answering(
            "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")) {
      String agent = open.agent();
      open.webhook(agent, luring.url(), Calls.json("{'retry_attempts': 1}"));
      open.suspend(agent);
      assertThat(Set.copyOf(open.sockets.connected())).containsExactly("127.0.0.1");
      assertThat(luring.connections()).isEqualTo(2);
    }
  }

  /** The next address of a name is tried when one does not answer. */
  @Test
  void aReceiverWithSeveralAddressesIsReachedByOneOfThem() {
    try (ScriptedReceiver receiver =
        ScriptedReceiver.answering("HTTP/1.1 204 No Content\r\n\r\n")) {
      open.names.put(
          "several.example.com",
          List.of(
              InetAddress.ofLiteral("10.9.9.9"),
              InetAddress.ofLiteral("fd12::1"),
              InetAddress.getLoopbackAddress()));
      String agent = open.agent();
      open.webhook(agent, "http://several.example.com:" + receiver.port() + "/", JsonObject.EMPTY);
      assertThat(open.suspend(agent).isTrue("sent")).isTrue();
      assertThat(open.sockets.connected())
          .containsExactly("10.9.9.9", "fd12:0:0:0:0:0:0:1", "127.0.0.1");
      assertThat(receiver.received().getFirst().header("host"))
          .isEqualTo("several.example.com:" + receiver.port());
    }
  }

  /** A name nobody knows is tried again: name servers have bad days. */
  @Test
  void anUnknownNameIsTriedAgain() {
    String agent = closed.agent();
    closed.webhook(agent, "https://nobody.example.com/", JsonObject.EMPTY);
    closed.ticker.pauses();
    JsonObject told = closed.suspend(agent);
    assertThat(closed.ticker.pauses())
        .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    assertThat(told.get("error"))
        .isInstanceOfSatisfying(
            JsonString.class,
            why -> assertThat(why.value()).endsWith("The receiver's name could not be looked up."));
  }
}
