package dev.safeconduct.gateway;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.GatewayConfig;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.front.HttpFront;
import dev.safeconduct.gateway.front.McpEndpoint;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.policy.PolicyClient;
import dev.safeconduct.gateway.rpc.MessageMemory;
import java.io.IOException;
import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Puts the HTTP front before the configured servers. */
final class HttpGateway {
  private HttpGateway() {}

  /** Makes the policy client of a server. */
  @FunctionalInterface
  interface PolicyClientFactory {
    PolicyClient of(ServerConfig server) throws ConfigException;
  }

  /** Returns AWS-LC by Corretto, which checks signatures fastest; null if it does not load. */
  static @Nullable Provider signatureProvider(Consumer<String> log) {
    // Read once when the provider is created: without it there is no key factory.
    System.setProperty("com.amazon.corretto.crypto.provider.registerEdKeyFactory", "true");
    String fault;
    try {
      AmazonCorrettoCryptoProvider corretto = AmazonCorrettoCryptoProvider.INSTANCE;
      if (corretto.getLoadingError() == null) {
        return corretto;
      }
      fault = corretto.getLoadingError().toString();
    } catch (LinkageError e) {
      fault = e.toString();
    }
    log.accept("Java checks signatures, slower than Corretto Crypto Provider: " + fault);
    return null;
  }

  static HttpFront start(
      GatewayConfig config,
      Map<String, String> environment,
      PolicyClientFactory policies,
      Consumer<String> log)
      throws ConfigException, IOException {
    var memory = new MessageMemory(config.http().limits().memory());
    var connections = new ServerConnections(config, environment, log);
    List<McpEndpoint> endpoints = new ArrayList<>();
    for (ServerConfig server : config.servers().values()) {
      endpoints.add(endpoint(server, policies.of(server), connections));
    }
    if (endpoints.isEmpty()) {
      throw new ConfigException("servers is empty: there is nothing to serve.");
    }
    return new HttpFront(config, endpoints, memory);
  }

  private static McpEndpoint endpoint(
      ServerConfig server, PolicyClient policy, ServerConnections connections)
      throws ConfigException {
    var tools = new ToolHeaders();
    var kind = new BridgedUpstream.ServerKind(server.relayed());
    BridgedUpstream.Connector connector = connections.to(server, tools);
    return new McpEndpoint(
        server.name(),
        policy,
        (memory, listener) -> new BridgedUpstream(connector, kind, memory, listener),
        tools);
  }
}
