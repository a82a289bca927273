package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.http.Revision;
import dev.safeconduct.gateway.policy.Denials;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.HeldServer.Asked;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client with a session, and a server without that asks for input in its results. */
final class InputTest {
  private static final String SUSPENDED = "oap.passport_suspended";

  private final HeldServer server = new HeldServer();
  private final BlockingQueue<Message> toClient = new LinkedBlockingQueue<>();
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final DecisionService service;
  private final Session session;

  InputTest() throws Exception {
    service = new DecisionService();
    var policy =
        new PolicyClient(
            Safeconduct.builder()
                .baseUrl(service.url())
                .apiKey("sck_test")
                .timeout(Duration.ofSeconds(20))
                .build(),
            ServerConfig.ofCommand("test", List.of("none"), List.of()),
            null,
            false,
            log::add);
    var upstream =
        new BridgedUpstream(
            (memory, listener) -> server,
            new BridgedUpstream.ServerKind(Set.of()),
            MessageMemory.unlimited(),
            ConnectionListener.ofEnd(() -> {}));
    session =
        new Session(
            new Principal("test", "ap_test"), policy, upstream, Runnable::run, toClient::add);
  }

  @BeforeEach
  void start() throws InterruptedException {
    send(
        Message.request(
            0,
            "initialize",
            Map.of("protocolVersion", "2025-11-25", "capabilities", Map.of("roots", Map.of()))));
    Asked initialize = server.next();
    initialize
        .outlet()
        .send(Message.error(initialize.request().id(), RpcError.of(-32601, "Method not found")));
    server
        .next()
        .answer(
            Map.of(
                "supportedVersions",
                List.of(Revision.STATELESS),
                "capabilities",
                Map.of("resources", Map.of("subscribe", true))));
    assertThat(answer().error()).isNull();
  }

  @AfterEach
  void close() {
    session.close();
    service.close();
  }

  private void send(Message message) {
    session.receive(message, Forwarded.none(), toClient::add);
  }

  private Message answer() throws InterruptedException {
    return Objects.requireNonNull(toClient.poll(20, TimeUnit.SECONDS), "nothing came");
  }

  private Asked call() throws InterruptedException {
    send(
        Message.request(
            1, "tools/call", Map.of("name", "echo", "arguments", Map.of("text", "hello"))));
    return server.next();
  }

  private static void askFor(Asked call, String method) {
    Map<String, ?> inputs =
        method.isEmpty() ? Map.of() : Map.of("r", Map.of("method", method, "params", Map.of()));
    call.answer(
        Map.of("resultType", "input_required", "inputRequests", inputs, "requestState", "1"));
  }

  private void cancel() {
    send(Message.notification("notifications/cancelled", Map.of("requestId", 1)));
  }

  private static Map<String, @Nullable Object> meta(Message answer) {
    return Message.objectOrEmpty(Objects.requireNonNull(answer.result()).get("_meta"));
  }

  /** A passport may be suspended while the server waits; some servers wait for nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"roots/list", ""})
  void aCallDoesNotGoOnAfterASuspension(String input) throws Exception {
    Asked call = call();
    if (input.isEmpty()) {
      service.decide(context -> SUSPENDED);
      askFor(call, input);
    } else {
      askFor(call, input);
      Message asked = answer();
      assertThat(asked.method()).isEqualTo(input);
      service.decide(context -> SUSPENDED);
      send(Message.result(asked.id(), Map.of("roots", List.of())));
    }
    Message denied = answer();
    assertThat(denied.id()).isEqualTo(1L);
    assertThat(denied.result()).containsEntry("isError", true);
    assertThat(meta(denied)).containsEntry("safeconduct/code", SUSPENDED);
    assertThat(server.asked()).isEmpty();
    assertThat(service.asked()).hasSize(2);
  }

  @Test
  void eachRoundOfACallIsAQuestionOfItsOwn() throws Exception {
    askFor(call(), "roots/list");
    send(Message.result(answer().id(), Map.of("roots", List.of())));
    Asked second = server.next();
    assertThat(second.request().params())
        .containsEntry("requestState", "1")
        .containsEntry("inputResponses", Map.of("r", Map.of("roots", List.of())));
    askFor(second, "");
    Asked third = server.next();
    third.answer(Map.of("resultType", "complete", "content", List.of()));
    Message done = answer();
    assertThat(done.id()).isEqualTo(1L);
    assertThat(meta(done)).containsEntry(Denials.DECISION_ID, "dec_3");
    assertThat(service.asked())
        .hasSize(3)
        .allSatisfy(each -> assertThat(each).containsEntry("parameters", Map.of("text", "hello")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"roots/list", "elicitation/create"})
  void aCancelledCallDoesNotGoOn(String input) throws Exception {
    askFor(call(), input);
    Message asked = answer();
    cancel();
    assertThat(answer().params()).containsEntry("requestId", asked.id());
    assertThat(answer().error()).isNotNull();
    send(Message.result(asked.id(), Map.of("action", "accept")));
    assertThat(log).contains("dropped a response to no request of the server");
    // The server knows of no call that it could cancel, and hears of the next one first.
    send(Message.request(2, "prompts/list", Map.of()));
    assertThat(server.next().request().method()).isEqualTo("prompts/list");
    assertThat(server.told()).isEmpty();
    assertThat(service.asked()).hasSize(1);
  }

  @Test
  void aCancelledCallAsksForNothing() throws Exception {
    Asked call = call();
    cancel();
    assertThat(server.nextTold().params()).containsEntry("requestId", 1L);
    askFor(call, "roots/list");
    assertThat(answer().error()).isNotNull();
    assertThat(toClient).isEmpty();
  }

  /** The server would get another resource than the one that was decided on. */
  @Test
  void subscribesOnlyToText() throws Exception {
    for (Object uri : Arrays.asList(List.of("x"), Map.of("a", 1), 5, true, null)) {
      for (String method : List.of("resources/subscribe", "resources/unsubscribe")) {
        Map<String, @Nullable Object> params = new LinkedHashMap<>();
        params.put("uri", uri);
        send(Message.request(2, method, params));
        assertThat(Message.objectOrEmpty(answer().error()))
            .containsEntry("code", RpcError.INVALID_PARAMS);
      }
    }
    assertThat(subscribe("test://x")).isEqualTo(List.of("test://x"));
  }

  private List<?> subscribe(String uri) throws InterruptedException {
    send(Message.request(2, "resources/subscribe", Map.of("uri", uri)));
    assertThat(answer().error()).isNull();
    return resources(server.next());
  }

  private static List<?> resources(Asked listen) {
    assertThat(listen.request().method()).isEqualTo("subscriptions/listen");
    Map<String, @Nullable Object> wanted =
        Message.objectOrEmpty(listen.request().params().get("notifications"));
    return (List<?>) Objects.requireNonNull(wanted.get("resourceSubscriptions"));
  }

  /** Nobody decides on the resources again. */
  @Test
  void listensOnceForTheSameResources() throws Exception {
    Message initialized = Message.notification("notifications/initialized", Map.of());
    assertThat(subscribe("test://x")).isEqualTo(List.of("test://x"));
    send(initialized);
    send(Message.request(2, "resources/subscribe", Map.of("uri", "test://y")));
    Asked listen = server.next();
    assertThat(resources(listen)).isEqualTo(List.of("test://x", "test://y"));
    assertThat(server.told()).hasSize(1);
    // The server ended it.
    listen.answer(Map.of());
    send(initialized);
    assertThat(resources(server.next())).hasSize(2);
    assertThat(server.told()).hasSize(1);
  }
}
