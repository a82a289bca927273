package dev.safeconduct.gateway.front;

import dev.safeconduct.gateway.config.ConfigException;
import dev.safeconduct.gateway.config.GatewayConfig;
import dev.safeconduct.gateway.config.HttpConfig;
import dev.safeconduct.gateway.identity.Identities;
import dev.safeconduct.gateway.rpc.MessageMemory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Serves the servers behind the gateway over Streamable HTTP, one at each {@code /mcp/<name>}. */
public final class HttpFront implements AutoCloseable {
  private static final int THREADS = 16;
  private static final long IDLE_MILLIS = 30_000;
  private static final int MAX_HEADERS = 32 << 10;

  /** At most this many requests run on platform threads, where waiting takes less CPU time. */
  private static final int PLATFORM_THREADS = 32;

  private static final long THREAD_IDLE_SECONDS = 60;

  private final Server server;
  private final ServerConnector connector;
  private final ClientSessions sessions;
  private final ThreadPoolExecutor calls = newCallThreads();

  /**
   * Starts to serve.
   *
   * @param memory for the messages of clients and servers
   * @throws ConfigException when the settings cannot be used
   * @throws IOException when the gateway cannot listen at the address
   */
  public HttpFront(GatewayConfig gateway, List<McpEndpoint> endpoints, MessageMemory memory)
      throws ConfigException, IOException {
    HttpConfig config = gateway.http();
    var identities = new Identities(config, gateway.agentId());
    var threads = new QueuedThreadPool(THREADS, 4);
    threads.setName("http");
    threads.setDaemon(true);
    server = new Server(threads);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(settings()));
    connector.setHost(config.host());
    connector.setPort(config.port());
    connector.setIdleTimeout(IDLE_MILLIS);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(config.limits().connections(), connector));
    try {
      connector.open();
      sessions = new ClientSessions(config.limits(), memory);
      var handler =
          new McpHandler(
              gateway,
              endpoints,
              identities,
              new Addresses(config, connector.getLocalPort()),
              sessions);
      server.setHandler(
          new Handler.Abstract(Invocable.InvocationType.NON_BLOCKING) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
              var sink = new JettySink(request, response, callback, memory.forAnswer());
              // Of our own, because it may wait for the server when the client has its answer.
              boolean isCall = request.getMethod().equals("POST"); // Others are long streams.
              Executor thread = isCall ? calls : Thread::startVirtualThread;
              thread.execute(() -> {
                try {
                  handler.handle(request, sink);
                } catch (RuntimeException | Error e) {
                  callback.failed(e);
                }
              });
              return true;
            }
          });
      server.start();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("The HTTP server does not start: " + e.getMessage(), e);
    }
  }

  /** Requests can wait for long, and many at once: those beyond the pool have virtual threads. */
  private static ThreadPoolExecutor newCallThreads() {
    return new ThreadPoolExecutor(
        0,
        PLATFORM_THREADS,
        THREAD_IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        Thread.ofPlatform().daemon().name("call-", 0).factory(),
        (call, pool) -> Thread.startVirtualThread(call));
  }

  private static HttpConfiguration settings() {
    var http = new HttpConfiguration();
    http.setHttpCompliance(HttpCompliance.STRICT);
    http.setRequestHeaderSize(MAX_HEADERS);
    http.setSendServerVersion(false);
    http.setIdleTimeout(IDLE_MILLIS);
    return http;
  }

  /** Returns the bound port, also when 0 was requested. */
  public int port() {
    return connector.getLocalPort();
  }

  /** Waits until the server stops. */
  public void join() throws InterruptedException {
    server.join();
  }

  @Override
  public void close() {
    sessions.close();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The HTTP server does not stop", e);
    } finally {
      calls.shutdown();
    }
  }
}
