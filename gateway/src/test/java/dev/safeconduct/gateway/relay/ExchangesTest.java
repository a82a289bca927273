package dev.safeconduct.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.HeldServer.Asked;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What crosses on the way: cancelling, late responses, and what the server asks meanwhile. */
final class ExchangesTest {
  private final HeldServer server = new HeldServer();
  private final List<Message> toClient = new ArrayList<>();

  private Session session() throws ConfigException {
    return session(Runnable::run);
  }

  private Session session(Executor waiting) throws ConfigException {
    return new Session(
        new Principal("test", "ap_test"), HeldServer.policy(), server, waiting, toClient::add);
  }

  private Asked ping(Session session) throws InterruptedException {
    session.receive(Message.request(1, "ping", Map.of()), Forwarded.none(), toClient::add);
    return server.next();
  }

  private static void cancel(Session session) {
    session.receive(
        Message.notification("notifications/cancelled", Map.of("requestId", 1)),
        Forwarded.none(),
        message -> {});
  }

  /** No moment is between the two in which what the server asks would be for another call. */
  @Test
  void aCancelledCallIsKnownToTheServersNextRequest() {
    var exchanges = new Exchanges();
    for (String tool : List.of("cancelled", "later")) {
      Message call = Message.request(tool, "tools/call", Map.of("name", tool));
      var pending = new Pending(tool, call, message -> {}, exchanges);
      assertThat(exchanges.start(tool, pending)).isNull();
      assertThat(pending.send()).isTrue();
      exchanges.sent(call);
      if (tool.equals("later")) {
        assertThat(exchanges.end(tool, pending)).isTrue();
      }
    }
    assertThat(exchanges.cancel("cancelled")).isTrue();
    Message elicit = Message.request("e1", "elicitation/create", Map.of());
    assertThat(exchanges.startByServer(elicit, null)).isTrue();
    assertThat(exchanges.endByServer("e1"))
        .isEqualTo(new Exchanges.Asked(null, true, Set.of("cancelled")));
    assertThat(exchanges.cancel("cancelled")).isFalse();
  }

  /**
   * Else an agent could give input to a call that is no longer allowed by having another one open.
   *
   * @param status what the server says of the task that it started
   * @param expected the tools that must all still be allowed
   */
  @ParameterizedTest
  @CsvSource({"working,cancelled open task", "completed,cancelled open", "none,cancelled open"})
  void inputCountsForEachCallThatTheServerMayBeWorkingOn(String status, String expected) {
    var exchanges = new Exchanges();
    for (String tool : List.of("cancelled", "open", "task", "ended")) {
      Message call = Message.request(tool, "tools/call", Map.of("name", tool));
      var pending = new Pending(tool, call, message -> {}, exchanges);
      assertThat(exchanges.start(tool, pending)).isNull();
      assertThat(pending.send()).isTrue();
      exchanges.sent(call);
      switch (tool) {
        case "cancelled" -> assertThat(exchanges.cancel(tool)).isTrue();
        case "task" -> {
          if (!status.equals("none")) {
            exchanges.addTask("task-1", tool);
            exchanges.noteTask("task-1", status);
          }
          assertThat(exchanges.end(tool, pending)).isTrue();
        }
        case "ended" -> assertThat(exchanges.end(tool, pending)).isTrue();
        default -> {} // It waits.
      }
    }
    // The second is about a request of the client that calls no tool.
    for (Message cause : java.util.Arrays.asList(null, Message.request(9, "ping", Map.of()))) {
      Message elicit = Message.request("e1", "elicitation/create", Map.of());
      assertThat(exchanges.startByServer(elicit, cause)).isTrue();
      assertThat(exchanges.endByServer("e1"))
          .isEqualTo(new Exchanges.Asked(null, true, Set.of(expected.split(" "))));
    }
  }

  /** The server has answered the first round; that the client cancels does not reach it. */
  @Test
  void aRequestThatIsCancelledWhileItIsDecidedOnAgainDoesNotGoOut() {
    var exchanges = new Exchanges();
    Message first = Message.request(1, "tools/call", Map.of("name", "echo"));
    Message next = first.with("params", Map.of("name", "echo", "requestState", "1"));
    var pending = new Pending(1L, first, toClient::add, exchanges);
    assertThat(exchanges.start(1L, pending)).isNull();
    assertThat(pending.send()).isTrue();
    Pending again = Objects.requireNonNull(exchanges.repeat(first, next, (headers, outlet) -> {}));
    assertThat(exchanges.cancel(1L)).isFalse();
    assertThat(again.send()).isFalse();
    // Nor does it when the client uses the id again.
    assertThat(exchanges.start(1L, new Pending(1L, first.with("id", 1), toClient::add, exchanges)))
        .isNull();
    assertThat(exchanges.repeat(first, next, (headers, outlet) -> {})).isNull();
  }

  @Test
  void aCancelledRequestMayBeAnswered() throws Exception {
    try (Session session = session()) {
      Asked request = ping(session);
      cancel(session);
      assertThat(server.nextTold().params()).containsEntry("requestId", 1);
      request.answer(Map.of("late", true));
      request.answer(Map.of("again", true));
      assertThat(toClient).extracting(Message::result).containsExactly(Map.of("late", true));
    }
  }

  /** The client would take it for the response to another request. */
  @Test
  void aLateResponseIsDroppedWhenItsIdWasUsedAgain() throws Exception {
    try (Session session = session()) {
      Asked first = ping(session);
      cancel(session);
      Asked second = ping(session);
      second.answer(Map.of("of", "second"));
      first.answer(Map.of("of", "first"));
      assertThat(toClient).extracting(Message::result).containsExactly(Map.of("of", "second"));
    }
  }

  @Test
  void requestsThatTheServerCancelsDoNotCountAsOpen() throws Exception {
    try (Session _ = session()) {
      for (int i = 0; i <= 1000; i++) {
        server.send(Message.request(i, "roots/list", Map.of()));
        server.send(Message.notification("notifications/cancelled", Map.of("requestId", i)));
      }
      assertThat(toClient).hasSize(2002);
    }
  }

  /** Whichever thread is first: what the client sends next relies on the level. */
  @Test
  void requestsComeAfterTheLevelThatWasSetBefore() throws Exception {
    List<Runnable> tasks = new ArrayList<>();
    try (Session session = session(tasks::add)) {
      Message level = Message.request(1, "logging/setLevel", Map.of("level", "debug"));
      session.receive(level, Forwarded.none(), toClient::add);
      session.receive(Message.request(2, "ping", Map.of()), Forwarded.none(), toClient::add);
      Thread later = Thread.startVirtualThread(tasks.getLast());
      Set<Thread.State> moving = Set.of(Thread.State.NEW, Thread.State.RUNNABLE);
      while (moving.contains(later.getState())) {
        Thread.onSpinWait();
      }
      tasks.getFirst().run();
      assertThat(later.join(java.time.Duration.ofSeconds(20))).isTrue();
      assertThat(List.of(server.next().request().method(), server.next().request().method()))
          .containsExactly("logging/setLevel", "ping");
    }
  }

  /** A connection over HTTP holds up who brings a request; a program's reader brings all. */
  @Test
  void aServerThatDoesNotAnswerHoldsUpNoOtherMessage() throws Exception {
    var goOn = new CountDownLatch(1);
    server.holdRequests(goOn);
    try (Session session = session(Thread::startVirtualThread)) {
      Asked _ = ping(session);
      cancel(session);
      assertThat(server.nextTold().params()).containsEntry("requestId", 1);
    } finally {
      goOn.countDown();
    }
  }
}
