package dev.safeconduct.gateway;

import dev.safeconduct.client.Safeconduct;
import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.config.CommandLine;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.GatewayConfig;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.front.HttpFront;
import dev.safeconduct.gateway.front.StdioFront;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.policy.Pins;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.relay.Principal;
import dev.safeconduct.gateway.relay.Session;
import dev.safeconduct.gateway.rpc.LineWriter;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Provider;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code safeconduct mcp-gateway}. */
public final class Main {
  private static final int USAGE_FAULT = 2;

  private final Map<String, String> environment;
  private final Consumer<String> log;

  private Main(Map<String, String> environment, Consumer<String> log) {
    this.environment = environment;
    this.log = log;
  }

  /** Runs the command and ends the process. */
  public static void main(String[] arguments) throws InterruptedException {
    var errors =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    System.setOut(errors); // standard output is for messages
    Consumer<String> log = line -> errors.println("safeconduct: " + line);
    int status;
    try {
      status = new Main(System.getenv(), log).run(List.of(arguments));
    } catch (ConfigException e) {
      log.accept(e.getMessage());
      status = USAGE_FAULT;
    } catch (IOException e) {
      log.accept(String.valueOf(e.getMessage()));
      status = 1;
    }
    System.exit(status);
  }

  private int run(List<String> arguments)
      throws ConfigException, IOException, InterruptedException {
    switch (CommandLine.parse(arguments, environment)) {
      case CommandLine.Help _ -> print(CommandLine.USAGE);
      case CommandLine.ListPins(Path file) -> print(new Pins(file).list());
      case CommandLine.AcceptPins(Path file, String server, List<String> tools) -> {
        String pinned = server.contains(":") ? server : "mcp:" + server;
        Set<String> accepted = new Pins(file).accept(pinned, Set.copyOf(tools));
        print("Accepted: " + (accepted.isEmpty() ? "nothing" : String.join(", ", accepted)) + "\n");
      }
      case CommandLine.Stdio(GatewayConfig config, ServerConfig server) -> wrap(config, server);
      case CommandLine.Http(GatewayConfig config) -> {
        // Loading it takes as long as thousands of checks; the wrapper of one server starts faster.
        @Nullable Provider signatures = HttpGateway.signatureProvider(log);
        try (HttpFront front =
            HttpGateway.start(
                config, environment, server -> policy(config, server, signatures), log)) {
          log.accept("listening at " + config.http().host() + ":" + front.port());
          front.join();
        }
      }
    }
    return 0;
  }

  private void print(String text) throws IOException {
    try (var out = new FileOutputStream(FileDescriptor.out)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private PolicyClient policy(
      GatewayConfig config, ServerConfig server, @Nullable Provider signatures)
      throws ConfigException {
    Safeconduct service;
    try {
      service =
          Safeconduct.builder()
              .baseUrl(config.service())
              .apiKey(CommandLine.apiKey(environment))
              .timeout(config.timeout())
              .requireSignature(true)
              .onUnavailable(reason -> log.accept("no decision: " + reason))
              .signatureProvider(signatures)
              .build();
    } catch (IllegalArgumentException e) {
      throw new ConfigException(String.valueOf(e.getMessage()));
    }
    @Nullable Path pins = config.pins();
    return new PolicyClient(
        service, server, pins == null ? null : new Pins(pins), config.denyAsError(), log);
  }

  private void wrap(GatewayConfig config, ServerConfig server)
      throws ConfigException, IOException, InterruptedException {
    PolicyClient policy = policy(config, server, null);
    String agentId = Objects.requireNonNull(config.agentId());
    var out = new LineWriter(new FileOutputStream(FileDescriptor.out), "safeconduct-out");
    var isClosing = new AtomicBoolean();
    // The server's end is the end of this process, so that the client sees it.
    Runnable onEnd =
        () -> {
          if (!isClosing.get()) {
            log.accept("the server has ended");
            out.close();
            System.exit(1);
          }
        };
    var upstream =
        new BridgedUpstream(
            new ServerConnections(config, environment, log).to(server, new ToolHeaders()),
            new BridgedUpstream.ServerKind(policy.server().relayed()),
            MessageMemory.ofAnyAnswers(Runtime.getRuntime().maxMemory()),
            ConnectionListener.ofEnd(onEnd));
    try (out;
        var session =
            new Session(
                new Principal("stdio", agentId),
                policy,
                upstream,
                Thread::startVirtualThread,
                out::write,
                Runtime.getRuntime().maxMemory() / 5)) {
      new StdioFront(new FileInputStream(FileDescriptor.in), out, config.maxMessageBytes())
          .run(session);
      isClosing.set(true);
    }
  }
}
