package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.rpc.RpcError;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Messages together take no more of the heap than they may, whatever clients and servers do. */
final class MessageMemoryTest {
  private static final int MIB = 1 << 20;

  private static RunningGateway gateway(DecisionService service, McpServer server, int memory)
      throws Exception {
    return new RunningGateway(
        service.url(),
        "max_message_bytes: 8388608\n"
            + "http: {listen: '127.0.0.1:0', anonymous: true, limits: {memory_mib: "
            + memory
            + "}}\nservers: {test: {url: '"
            + server.url()
            + "'}}\n",
        Map.of());
  }

  private static Message call(String text) {
    return McpClient.stateless(
        1, "tools/call", Map.of("name", "tool", "arguments", Map.of("x", text)), Map.of());
  }

  private static String head(int length) {
    return "POST /mcp/test HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: tool\r\n"
        + "Content-Length: "
        + length
        + "\r\n\r\n";
  }

  private static Socket open(RunningGateway gateway) throws IOException {
    var socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), URI.create(gateway.url("test")).getPort()));
    return socket;
  }

  /** Answers calls with a text as long as the server of the test wants. */
  private static void answerWith(McpServer server, int length) {
    server.script((exchange, request) -> {
      Message message = request.message();
      if (message == null || !message.method().equals("tools/call")) {
        return false;
      }
      boolean isLong = String.valueOf(message.params().get("arguments")).contains("long");
      McpServer.send(
          exchange,
          200,
          Message.result(message.id(), Map.of("text", "x".repeat(isLong ? length : 1))));
      return true;
    });
  }

  @Test
  void refusesBodiesThatArriveWhileOthersTakeAllRoom() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = gateway(service, server, 8)) {
      answerWith(server, 1);
      assertThat(gateway.client().sendStateless(call("short")).status()).isEqualTo(200);
      byte[] part = ("{\"x\":\"" + "y".repeat(400_000)).getBytes(StandardCharsets.UTF_8);
      var sockets = new ArrayList<Socket>();
      BlockingQueue<String> refused = new LinkedBlockingQueue<>();
      try {
        for (int i = 0; i < 12; i++) {
          Socket socket = open(gateway);
          sockets.add(socket);
          Thread.startVirtualThread(() -> {
            try {
              socket.getOutputStream().write(head(MIB).getBytes(StandardCharsets.US_ASCII));
              socket.getOutputStream().write(part);
              byte[] answer = socket.getInputStream().readNBytes(150);
              refused.add(new String(answer, StandardCharsets.US_ASCII));
            } catch (IOException e) {
              refused.add("closed"); // It writes while it is refused.
            }
          });
        }
        // Requests have a half, 4 MiB; a body that arrives takes twice its bytes: five fit.
        for (int i = 0; i < 7; i++) {
          String answer = String.valueOf(refused.poll(20, TimeUnit.SECONDS));
          assertThat(answer).matches("closed|(?s)HTTP/1.1 503 .*Retry-After: 1\r\n.*");
        }
        assertThat(gateway.client().sendStateless(call("y".repeat(MIB))).status()).isEqualTo(503);
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
      assertThat(server.count("tools/call")).isEqualTo(1);
      awaitStatus(gateway, call("y".repeat(400_000)), 200);
    }
  }

  /** The gateway learns of a closed connection a little later. */
  private static void awaitStatus(RunningGateway gateway, Message call, int status)
      throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    int last;
    do {
      last = gateway.client().sendStateless(call).status();
    } while (last != status && System.nanoTime() < end);
    assertThat(last).isEqualTo(status);
  }

  @Test
  void givesTheRoomOfARequestBackWithItsResponse() throws Exception {
    var goOn = new CountDownLatch(1);
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = gateway(service, server, 8)) {
      var reached = new CountDownLatch(2);
      server.script((exchange, request) -> {
        Message message = request.message();
        if (message == null || !message.method().equals("tools/call")) {
          return false;
        }
        reached.countDown();
        await(goOn);
        McpServer.send(exchange, 200, Message.result(message.id(), Map.of()));
        return true;
      });
      BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
      Message call = call("y".repeat(300_000)); // takes 1.8 of 4 MiB
      for (int i = 0; i < 2; i++) {
        Thread.startVirtualThread(() -> statuses.add(status(gateway, call)));
      }
      assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
      McpClient.Answer third = gateway.client().sendStateless(call);
      assertThat(third.status()).isEqualTo(503);
      assertThat(third.header("Retry-After")).isEqualTo("1");
      goOn.countDown();
      assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(200);
      assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(200);
      for (int i = 0; i < 5; i++) {
        assertThat(status(gateway, call)).isEqualTo(200);
      }
    } finally {
      goOn.countDown();
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static int status(RunningGateway gateway, Message call) {
    try {
      return gateway.client().sendStateless(call).status();
    } catch (IOException e) {
      return 0;
    }
  }

  @Test
  void countsAnswersThatAClientDoesNotRead() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = gateway(service, server, 48)) {
      answerWith(server, 6 * MIB); // takes 36 MiB until it is written, and then 6
      byte[] call = call("long").bytes();
      var sockets = new ArrayList<Socket>();
      try {
        for (int i = 0; i < 3; i++) {
          Socket socket = open(gateway);
          sockets.add(socket);
          socket.getOutputStream().write(head(call.length).getBytes(StandardCharsets.US_ASCII));
          socket.getOutputStream().write(call);
          byte[] start = socket.getInputStream().readNBytes(8);
          assertThat(new String(start, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1");
        }
        McpClient.Answer more = gateway.client().sendStateless(call("long"));
        assertThat(more.code()).as("no room for the answer").isEqualTo(RpcError.INTERNAL_ERROR);
        assertThat(gateway.client().sendStateless(call("short")).status()).isEqualTo(200);
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      int code;
      do {
        code = gateway.client().sendStateless(call("long")).code();
      } while (code != 0 && System.nanoTime() < end);
      assertThat(code).isZero();
    }
  }

  @Test
  void countsTheValuesOfAMessage() {
    var memory = new MessageMemory(10_000);
    byte[] nested = "[[],[],[],[],[],[],[],[],[],[],[],[]]".getBytes(StandardCharsets.UTF_8);
    try (MessageMemory.Part part = memory.forAnswer()) {
      assertThat(part.takeForValues(nested)).isTrue();
      assertThat(memory.taken()).isGreaterThan(1500);
      assertThat(memory.forRequest().take(5000)).isFalse();
      for (String json : List.of("{}", "[]")) {
        assertThat(part.takeForValues(json.repeat(100).getBytes(StandardCharsets.UTF_8))).isFalse();
      }
    }
    assertThat(memory.taken()).isZero();
  }
}
