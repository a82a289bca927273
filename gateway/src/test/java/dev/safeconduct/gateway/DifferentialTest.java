package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.McpClient;
import dev.safeconduct.gateway.testkit.McpServer;
import dev.safeconduct.gateway.testkit.McpServer.Kinds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random requests to a server, and the same through a gateway that allows everything: the answers
 * are the same, apart from what the gateway says that it adds.
 */
final class DifferentialTest {
  private static final long SEED = 20260728;
  private static final int REQUESTS = 300;

  private final Random random = new Random(SEED);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersLikeTheServer(boolean isStateless) throws Exception {
    try (var service = new DecisionService();
        var server = new McpServer(Kinds.WITH_SESSIONS, Kinds.STATELESS);
        var gateway = RunningGateway.before(service.url(), server.url())) {
      McpClient direct = new McpClient(server.url());
      McpClient through = gateway.client();
      if (!isStateless) {
        direct.start(Map.of());
        through.start(Map.of());
      }
      for (int i = 0; i < REQUESTS; i++) {
        Message message = request(isStateless);
        McpClient.Answer expected = send(direct, message, isStateless);
        McpClient.Answer found = send(through, message, isStateless);
        String sent =
            i + ": " + new String(message.bytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(found.status()).as(sent).isEqualTo(status(expected, isStateless));
        assertThat(found.message().id()).as(sent).isEqualTo(message.id());
        assertThat(without(found.message())).as(sent).isEqualTo(without(expected.message()));
      }
    }
  }

  /** Without sessions, an unknown method has the status 404, which our server does not say. */
  private static int status(McpClient.Answer answer, boolean isStateless) {
    return isStateless && answer.message().error() != null && answer.code() == -32601
        ? 404
        : answer.status();
  }

  private static McpClient.Answer send(McpClient client, Message message, boolean isStateless)
      throws Exception {
    return isStateless ? client.sendStateless(message) : client.send(message);
  }

  /** Returns what both have: without the decision's id, and without how long it may be kept. */
  private static Map<String, @Nullable Object> without(Message answer) {
    Map<String, @Nullable Object> result = answer.result();
    if (result == null) {
      return Message.objectOrEmpty(answer.error());
    }
    Map<String, @Nullable Object> same = new LinkedHashMap<>(result);
    Map<String, @Nullable Object> meta =
        new LinkedHashMap<>(Message.objectOrEmpty(same.remove("_meta")));
    meta.remove("safeconduct/decision_id");
    same.put("_meta", meta);
    same.remove("ttlMs");
    same.remove("cacheScope");
    return same;
  }

  private Message request(boolean isStateless) {
    Object id = random.nextBoolean() ? (Object) random.nextLong(1L << 53) : text();
    var params = new LinkedHashMap<String, @Nullable Object>();
    String method =
        switch (random.nextInt(8)) {
          case 0 -> "tools/list";
          case 1 -> "resources/read";
          case 2 -> "prompts/list";
          case 3 -> isStateless ? "server/discover" : "ping";
          default -> "tools/call";
        };
    if (method.equals("tools/call")) {
      params.put("name", random.nextInt(10) == 0 ? "no such tool" : "echo");
      if (random.nextInt(10) > 0) {
        params.put("arguments", object(3));
      }
    } else if (method.equals("resources/read")) {
      params.put("uri", "test://x/" + random.nextInt());
    }
    return isStateless
        ? McpClient.stateless(id, method, params, Map.of("elicitation", Map.of()))
        : Message.request(id, method, params);
  }

  private Map<String, @Nullable Object> object(int depth) {
    var object = new LinkedHashMap<String, @Nullable Object>();
    for (int i = random.nextInt(5); i > 0; i--) {
      object.put("m" + text(), value(depth - 1)); // Never the name of a header's argument.
    }
    return object;
  }

  private @Nullable Object value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextInt();
      case 3 -> random.nextDouble();
      case 4, 5 -> text();
      case 6 -> object(depth);
      default -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(value(depth - 1));
        }
        yield list;
      }
    };
  }

  private String text() {
    var text = new StringBuilder("t");
    for (int i = random.nextInt(12); i > 0; i--) {
      int point = random.nextInt(4) == 0 ? random.nextInt(0x20, 0xd800) : random.nextInt(0x80);
      text.appendCodePoint(point);
    }
    return text.toString();
  }
}
