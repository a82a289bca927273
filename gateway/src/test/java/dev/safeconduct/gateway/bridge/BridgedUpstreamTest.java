package dev.safeconduct.gateway.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.HeldServer.Asked;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the gateway makes of a server that does not say which revisions it has. */
final class BridgedUpstreamTest {
  private static final Message LIST = McpClient.stateless(1, "tools/list", Map.of(), Map.of());

  @Test
  void aSilentServerIsAskedOnceAndThenGetsInitialize() throws Exception {
    var server = new HeldServer();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var kind = new BridgedUpstream.ServerKind(Set.of(), Duration.ofMillis(500));
      // What one client learns counts for the others.
      for (boolean isFirst : new boolean[] {true, false}) {
        var upstream =
            new BridgedUpstream(
                (memory, listener) -> server,
                kind,
                MessageMemory.unlimited(),
                ConnectionListener.ofEnd(() -> {}));
        var answer = new CompletableFuture<Message>();
        var _ = threads.submit(() -> upstream.request(LIST, Forwarded.none(), answer::complete));
        if (isFirst) {
          assertThat(server.next().request().method()).isEqualTo("server/discover");
          assertThat(server.nextTold().method()).isEqualTo("notifications/cancelled");
        }
        Asked start = server.next();
        assertThat(start.request().method()).isEqualTo("initialize");
        start.answer(Map.of("capabilities", Map.of()));
        assertThat(server.nextTold().method()).isEqualTo("notifications/initialized");
        server.next().answer(Map.of("tools", "none"));
        assertThat(answer.get(20, TimeUnit.SECONDS).result()).containsEntry("tools", "none");
      }
    }
  }

  /** Its silence then had another reason, as a slow start. */
  @Test
  void aSilentServerThatStartsNoSessionIsAskedAgain() throws Exception {
    var server = new HeldServer();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var upstream =
            new BridgedUpstream(
                (memory, listener) -> server,
                new BridgedUpstream.ServerKind(Set.of(), Duration.ofMillis(500)),
                MessageMemory.unlimited(),
                ConnectionListener.ofEnd(() -> {}))) {
      for (int i = 0; i < 2; i++) {
        var answer = new CompletableFuture<Message>();
        var _ = threads.submit(() -> upstream.request(LIST, Forwarded.none(), answer::complete));
        assertThat(server.next().request().method()).isEqualTo("server/discover");
        Asked start = server.next();
        assertThat(start.request().method()).isEqualTo("initialize");
        start.outlet().send(Message.error(start.request().id(), HeldServer.UNKNOWN));
        assertThat(answer.get(20, TimeUnit.SECONDS).error()).isNotNull();
      }
    }
  }

  /** The server may still answer the start, and the answer would count for the next session. */
  @Test
  void aConnectionWhoseSessionDoesNotStartGetsNoOther() throws Exception {
    var opened = new LinkedBlockingQueue<HeldServer>();
    var listeners = new LinkedBlockingQueue<ConnectionListener>();
    var hasEnded = new CompletableFuture<Boolean>();
    BridgedUpstream.Connector connector =
        (memory, listener) -> {
          var server = new HeldServer();
          opened.add(server);
          listeners.add(listener);
          return server;
        };
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var upstream =
            new BridgedUpstream(
                connector,
                new BridgedUpstream.ServerKind(Set.of(), Duration.ofSeconds(20)),
                MessageMemory.unlimited(),
                ConnectionListener.ofEnd(() -> hasEnded.complete(true)))) {
      for (boolean isFirst : new boolean[] {true, false}) {
        var answer = new CompletableFuture<Message>();
        var _ = threads.submit(() -> upstream.request(LIST, Forwarded.none(), answer::complete));
        HeldServer server = Objects.requireNonNull(opened.poll(20, TimeUnit.SECONDS));
        if (isFirst) {
          Asked probe = server.next();
          probe.outlet().send(Message.error(probe.request().id(), HeldServer.UNKNOWN));
        }
        Asked start = server.next();
        assertThat(start.request().method()).isEqualTo("initialize");
        start.outlet().send(Message.error(start.request().id(), HeldServer.UNKNOWN));
        assertThat(answer.get(20, TimeUnit.SECONDS).error()).isNotNull();
      }
      listeners.remove().lost();
      assertThat(hasEnded).as("the client hears that its server has ended").isCompleted();
    }
  }
}
