package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.http.EventReader;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import dev.safeconduct.gateway.upstream.Forwarded;
import dev.safeconduct.gateway.upstream.StdioUpstream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        "max_message_bytes: "
            + memory * MIB / 16
            + "\nhttp: {listen: '127.0.0.1:0', anonymous: true, limits: {memory_mib: "
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
    socket.setSoTimeout(60_000);
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
        var gateway = gateway(service, server, 12)) {
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
              socket.getOutputStream().write(head(700_000).getBytes(StandardCharsets.US_ASCII));
              socket.getOutputStream().write(part);
              byte[] answer = socket.getInputStream().readNBytes(150);
              refused.add(new String(answer, StandardCharsets.US_ASCII));
            } catch (IOException e) {
              refused.add(e.toString());
            }
          });
        }
        // One client's requests have 4.5 MiB; a body that arrives takes twice its bytes: five fit.
        for (int i = 0; i < 7; i++) {
          String answer = String.valueOf(refused.poll(20, TimeUnit.SECONDS));
          assertThat(answer).matches("(?s)HTTP/1.1 503 .*Retry-After: 1\r\n.*");
        }
        assertThat(gateway.client().sendStateless(call("y".repeat(400_000))).status())
            .isEqualTo(503);
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
        var gateway = gateway(service, server, 12)) {
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
      Message call = call("y".repeat(300_000)); // takes 1.8 of 4.5 MiB
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
    return status(gateway.client(), call);
  }

  private static int status(McpClient client, Message call) {
    try {
      return client.sendStateless(call).status();
    } catch (IOException e) {
      return 0;
    }
  }

  @Test
  void countsAnswersThatAClientDoesNotRead() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = gateway(service, server, 96)) {
      // Takes 36 of the client's 72 MiB until it is written, and then 6.
      answerWith(server, 6 * MIB - 100);
      byte[] call = call("long").bytes();
      var sockets = new ArrayList<Socket>();
      try {
        int refused = 0;
        // More than once, because an answer gives most of its room back a little after it starts.
        while (refused < 3) {
          Socket socket = open(gateway);
          sockets.add(socket);
          assertThat(sockets).as("some have no room").hasSizeLessThan(20);
          socket.getOutputStream().write(head(call.length).getBytes(StandardCharsets.US_ASCII));
          socket.getOutputStream().write(call);
          byte[] start = socket.getInputStream().readNBytes(150);
          boolean hasRoom =
              new String(start, StandardCharsets.US_ASCII).contains("Content-Length: 6291");
          refused = hasRoom ? 0 : refused + 1;
        }
        assertThat(isServedSoon(gateway, "short")).as("a short call has room").isTrue();
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
      assertThat(isServedSoon(gateway, "long")).isTrue();
    }
  }

  /** Answers give their room back a little after they start, or after their client is gone. */
  private static boolean isServedSoon(RunningGateway gateway, String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    McpClient.Answer answer;
    do {
      answer = gateway.client().sendStateless(call(text));
    } while ((answer.status() != 200 || answer.code() != 0) && System.nanoTime() < end);
    return answer.status() == 200 && answer.code() == 0;
  }

  @Test
  void oneClientLeavesRoomForTheOthers() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway =
            new RunningGateway(
                service.url(),
                "max_message_bytes: 3145728\n"
                    + "http: {listen: '127.0.0.1:0', limits: {memory_mib: 48}, tokens: ["
                    + token("greedy")
                    + ", "
                    + token("modest")
                    + "]}\nservers: {test: {url: '"
                    + server.url()
                    + "'}}\n",
                Map.of())) {
      var goOn = new CountDownLatch(1);
      server.script((exchange, request) -> {
        boolean isModest = request.headers().containsKey("traceparent");
        if (request.method().equals("tools/call") && !isModest) {
          await(goOn);
        }
        return false;
      });
      // Takes 6 of the 24 MiB that requests have; one client has 18, less what else it sends.
      Message large = call("y".repeat(MIB));
      BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
      for (int i = 0; i < 5; i++) {
        Thread.startVirtualThread(() -> statuses.add(status(client(gateway, "greedy"), large)));
      }
      try {
        for (int i = 0; i < 3; i++) {
          assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(503);
        }
        McpClient modest = client(gateway, "modest").with("traceparent", "00");
        assertThat(modest.sendStateless(large).status()).isEqualTo(200);
      } finally {
        goOn.countDown();
      }
    }
  }

  private static String token(String secret) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    return "{name: "
        + secret
        + ", agent_id: ap_test, sha256: "
        + HexFormat.of().formatHex(digest)
        + "}";
  }

  private static McpClient client(RunningGateway gateway, String token) {
    return gateway.client().with("Authorization", "Bearer " + token);
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

  @Test
  void keepsNoEventsOfFinishedStreamsWhereRequestsNeedTheRoom() throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS);
        var gateway = gateway(service, server, 12)) {
      server.script((exchange, request) -> {
        Message message = request.message();
        if (message == null || !message.method().equals("tools/call")) {
          return false;
        }
        Message answer = Message.result(message.id(), Map.of("text", "x".repeat(100_000)));
        McpServer.sendEvents(
            exchange, "data: " + new String(answer.bytes(), StandardCharsets.UTF_8));
        return true;
      });
      McpClient client = gateway.client().start(Map.of());
      for (int i = 0; i < 40; i++) {
        assertThat(client.call(i, "tool", Map.of()).status()).isEqualTo(200);
      }
      // A request of 2.4 MiB of the 4.5 that requests may take.
      assertThat(gateway.client().start(Map.of()).call(1, "tool", Map.of("x", "y".repeat(400_000))))
          .satisfies(answer -> assertThat(answer.status()).isEqualTo(200));
    }
  }

  @Test
  void takesShortMessagesWhileCallsThatWaitTakeTheirHalf() throws Exception {
    var goOn = new CountDownLatch(1);
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.STATELESS);
        var gateway = gateway(service, server, 12)) {
      var reached = new CountDownLatch(2);
      server.script((exchange, request) -> {
        if (request.method().equals("tools/call")) {
          reached.countDown();
          await(goOn);
        }
        return false;
      });
      // Of the half that requests may take, without what the server's list of tools takes.
      int length = (int) (9 * MIB / 4 - size(call("")) - 12_000) / 6;
      Message half = call("y".repeat(length));
      BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
      for (int i = 0; i < 2; i++) {
        Thread.startVirtualThread(() -> statuses.add(status(gateway, half)));
      }
      assertThat(reached.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(gateway.client().sendStateless(call("y".repeat(10_000))).status()).isEqualTo(503);
      Message list = McpClient.stateless(2, "tools/list", Map.of(), Map.of());
      assertThat(gateway.client().sendStateless(list).status()).isEqualTo(200);
      goOn.countDown();
      assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(200);
      assertThat(statuses.poll(20, TimeUnit.SECONDS)).isEqualTo(200);
      Message never =
          McpClient.stateless(
              1,
              "tools/call",
              Map.of("name", "tool", "arguments", Map.of("x", Collections.nCopies(80_000, 1))),
              Map.of());
      for (Message tooLarge : List.of(never, call("y".repeat(2 * MIB)))) {
        assertThat(gateway.client().sendStateless(tooLarge).status()).isEqualTo(413);
      }
    } finally {
      goOn.countDown();
    }
  }

  /** Returns what a request takes. */
  private static long size(Message request) {
    var memory = new MessageMemory(MIB);
    MessageMemory.Part part = memory.forAnswer();
    assertThat(part.take(2L * request.bytes().length)).isTrue();
    assertThat(part.takeForValues(request.bytes())).isTrue();
    return memory.taken();
  }

  @Test
  void readsShortLinesOfAProgramWhenNoRoomIsLeft() throws Exception {
    var memory = new MessageMemory(1000);
    assertThat(memory.forAnswer().take(1000)).isTrue();
    // Returns what it gets.
    String program = "s/,\"method\":\"ping\",\"params\":/,\"result\":/";
    ServerConfig sed = ServerConfig.ofCommand("test", List.of("sed", "-u", program), List.of());
    BlockingQueue<Message> answers = new LinkedBlockingQueue<>();
    try (var server = new StdioUpstream(sed, System.getenv(), MIB, memory, line -> {})) {
      for (int length : List.of(1, 10_000, 20_000)) {
        Map<String, ?> params = Map.of("x", "y".repeat(length));
        server.request(Message.request(length, "ping", params), Forwarded.none(), answers::add);
        Message answer = Objects.requireNonNull(answers.poll(20, TimeUnit.SECONDS));
        assertThat(answer.error() == null).as("of " + length).isEqualTo(length <= 10_000);
      }
    }
    assertThat(memory.taken()).isEqualTo(1000);
  }

  @Test
  void countsWhatTheServerMayAnswerAlthoughItIsCancelled() throws Exception {
    var memory = new MessageMemory(8 * MIB);
    ServerConfig silent =
        ServerConfig.ofCommand("test", List.of("sh", "-c", "cat >/dev/null"), List.of());
    try (var server = new StdioUpstream(silent, System.getenv(), MIB, memory, line -> {})) {
      for (int i = 0; i < 60; i++) {
        Map<String, ?> params = Map.of("x", "y".repeat(i < 40 ? 10_000 : 300_000));
        server.request(Message.request(i, "ping", params), Forwarded.none(), answer -> {});
        server.notify(
            Message.notification("notifications/cancelled", Map.of("requestId", i)),
            Forwarded.none());
        // Five times the bytes of the last 16; the large ones have no room beside them.
        assertThat(memory.taken()).isBetween(50_000L, 16 * 52_000L);
      }
    }
    assertThat(memory.taken()).isZero();
  }

  @Test
  void countsAllLinesOfAnEventAndNoneOfTheOnesBefore() throws Exception {
    var memory = new MessageMemory(200_000);
    String comments = (":" + "c".repeat(9000) + "\n\n").repeat(20);
    String event = ("data: " + "d".repeat(5000) + "\n").repeat(6) + "\n";
    byte[] sent = (comments + event).getBytes(StandardCharsets.UTF_8);
    try (var reader = new EventReader(new ByteArrayInputStream(sent), MIB, memory.forAnswer())) {
      assertThat(reader.next()).isPresent();
      assertThat(memory.taken()).isBetween(90_000L, 130_000L);
    }
  }
}
