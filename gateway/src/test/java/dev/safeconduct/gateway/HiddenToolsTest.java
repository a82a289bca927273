package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.config.Mapping;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.policy.Pins;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.DecisionService;
import dev.safeconduct.gateway.testkit.HeldServer;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import dev.safeconduct.gateway.upstream.Forwarded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tools that the gateway hides whatever the policy says: each dry run would be a record. */
final class HiddenToolsTest {
  @TempDir private Path folder = Path.of(".");

  @Test
  void theServiceIsNotAskedForToolsThatAreHiddenAnyway() throws Exception {
    ServerConfig plain = ServerConfig.ofCommand("test", List.of("none"), List.of());
    var server =
        new ServerConfig(
            "test",
            plain.command(),
            List.of(),
            null,
            Map.of("mapped", List.of(new Mapping("code.release.publish.v1", null, Map.of()))),
            plain.relayed(),
            false,
            plain.http());
    var asked = new ArrayList<@Nullable Object>();
    var held = new HeldServer();
    var toClient = new ArrayList<Message>();
    try (var service = new DecisionService();
        Safeconduct client =
            Safeconduct.builder().baseUrl(service.url()).apiKey("sck_test").build();
        var session =
            new Session(
                new Principal("test", "ap_test"),
                new PolicyClient(
                    client, server, new Pins(folder.resolve("pins")), false, line -> {}),
                held,
                Runnable::run,
                toClient::add)) {
      service.decide(context -> {
        asked.add(context.get("tool"));
        return null;
      });
      for (String description : List.of("A tool.", "Another tool.")) {
        asked.clear();
        session.receive(
            Message.request(1, "tools/list", Map.of()), Forwarded.none(), toClient::add);
        held.next()
            .answer(
                Map.of(
                    "tools",
                    Stream.of("mapped", "Mapped", "same", "changed")
                        .map(name ->
                            ScriptedServer.tool(
                                name, name.equals("changed") ? description : "A tool."))
                        .toList()));
        // The mapping's question names no tool.
        List<?> expected =
            description.equals("A tool.")
                ? java.util.Arrays.asList("mapped", null, "same", "changed")
                : java.util.Arrays.asList("mapped", null, "same");
        assertThat(asked).isEqualTo(expected);
      }
    }
    assertThat(names(toClient.getFirst())).containsExactly("mapped", "same", "changed");
    assertThat(names(toClient.getLast())).containsExactly("mapped", "same");
  }

  private static List<String> names(Message answer) {
    Object tools = Message.objectOrEmpty(answer.result()).get("tools");
    return ((List<?>) java.util.Objects.requireNonNull(tools))
        .stream().map(tool -> String.valueOf(Message.objectOrEmpty(tool).get("name"))).toList();
  }
}
