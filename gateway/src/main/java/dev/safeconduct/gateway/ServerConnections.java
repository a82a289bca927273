package dev.safeconduct.gateway;

import dev.safeconduct.gateway.bridge.BridgedUpstream;
import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.GatewayConfig;
import dev.safeconduct.gateway.config.HttpServerConfig;
import dev.safeconduct.gateway.config.ServerConfig;
import dev.safeconduct.gateway.http.ToolHeaders;
import dev.safeconduct.gateway.rpc.MessageMemory;
import dev.safeconduct.gateway.upstream.ConnectionListener;
import dev.safeconduct.gateway.upstream.HttpTarget;
import dev.safeconduct.gateway.upstream.HttpUpstream;
import dev.safeconduct.gateway.upstream.StdioUpstream;
import dev.safeconduct.gateway.upstream.Upstream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Opens connections to servers: starts their programs, or calls their addresses. */
final class ServerConnections {
  private final GatewayConfig config;
  private final Map<String, String> environment;
  private final Consumer<String> log;

  /** One for servers without TLS and look-up of a name, and one for the others. */
  private final Map<Boolean, HttpClient> clients = new HashMap<>();

  ServerConnections(GatewayConfig config, Map<String, String> environment, Consumer<String> log) {
    this.config = config;
    this.environment = environment;
    this.log = log;
  }

  /**
   * Returns what opens connections to a server.
   *
   * @param tools the headers of its tools, if it is called over HTTP
   * @throws ConfigException if a secret that it needs is not there
   */
  BridgedUpstream.Connector to(ServerConfig server, ToolHeaders tools) throws ConfigException {
    String url = server.url();
    if (url == null) {
      return (memory, listener) -> child(server, memory, listener);
    }
    HttpTarget target = target(server, URI.create(url));
    HttpClient shared = clients.computeIfAbsent(isDirect(target.uri()), HttpUpstream::newClient);
    return (memory, listener) -> new HttpUpstream(shared, target, memory, tools, listener, log);
  }

  /** Whether a connection needs neither TLS nor the resolution of a name, which may take long. */
  private static boolean isDirect(URI uri) {
    String host = uri.getHost();
    return "http".equals(uri.getScheme())
        && (host.equals("localhost") || host.startsWith("[") || host.matches("[0-9.]+"));
  }

  private Upstream child(ServerConfig server, MessageMemory memory, ConnectionListener listener)
      throws IOException {
    var child = new StdioUpstream(server, environment, config.maxMessageBytes(), memory, log);
    child.onEnd(listener::lost);
    return child;
  }

  private HttpTarget target(ServerConfig server, URI uri) throws ConfigException {
    var headers = new LinkedHashMap<String, String>();
    for (Map.Entry<String, HttpServerConfig.Secret> header : server.http().headers().entrySet()) {
      headers.put(header.getKey(), header.getValue().read(environment));
    }
    return new HttpTarget(uri, headers, server.http().timeout(), config.maxMessageBytes());
  }
}
