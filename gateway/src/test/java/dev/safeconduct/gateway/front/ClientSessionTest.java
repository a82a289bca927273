package dev.safeconduct.gateway.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.HeldServer.Asked;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients of one principal that use the same ids. */
final class ClientSessionTest {
  /** What a client gets; a client that is gone gets nothing. */
  private record Client(boolean isThere, CompletableFuture<Message> answer) implements Sink {
    private static Client of(boolean isThere) {
      return new Client(isThere, new CompletableFuture<>());
    }

    @Override
    public void send(int status, Map<String, String> headers, byte[] json) throws IOException {
      open(headers);
      answer.complete(Message.result(Message.objectOrEmpty(Json.parse(json)).get("id"), Map.of()));
    }

    @Override
    public void open(Map<String, String> headers) throws IOException {
      if (!isThere) {
        throw new IOException("gone");
      }
    }

    @Override
    public void write(byte[] event) {}

    @Override
    public void end() {}
  }

  @Test
  void noRequestGetsAnIdThatIsBeingCancelled() throws Exception {
    var server = new HeldServer();
    var goOn = new CountDownLatch(1);
    server.holdNotifications(goOn);
    var endpoint =
        new McpEndpoint(
            "test", HeldServer.policy(), (memory, listener) -> server, new ToolHeaders());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var session =
            new ClientSession(
                new Principal("test", "ap_test"),
                endpoint,
                true,
                10,
                MessageMemory.unlimited(),
                lost -> {})) {
      Future<?> first = threads.submit(() -> ask(session, Client.of(false)));
      Asked gone = server.next();
      gone.outlet().send(Message.notification("notifications/message", Map.of()));
      first.get(20, TimeUnit.SECONDS);
      assertThat(server.nextTold().params()).containsEntry("requestId", 1L);
      gone.answer(Map.of());
      Client client = Client.of(true);
      Future<?> second = threads.submit(() -> ask(session, client));
      Asked asked = server.next();
      assertThat(asked.request().id()).as("the server cancels 1 now").isNotEqualTo(1L);
      asked.answer(Map.of());
      second.get(20, TimeUnit.SECONDS);
      assertThat(client.answer().join().id()).isEqualTo(1L);
    } finally {
      goOn.countDown();
    }
  }

  private static Void ask(ClientSession session, Sink client) throws Exception {
    MessageMemory.Part held = MessageMemory.unlimited().forRequest();
    session.request(
        Message.request(1, "ping", Map.of()),
        held,
        Forwarded.none(),
        client,
        (stream, answer) -> {});
    return null;
  }
}
