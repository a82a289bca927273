package dev.safeconduct.http.server;

import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;

/**
 * A connection that passes on percent-encodings that the library cannot decode, such as {@code
 * %00}. The route table validates paths and reports their errors.
 */
final class Http1Connection extends HttpConnection {
  private static final String TARGET = Http1Connection.class.getName() + ".target";

  private Http1Connection(HttpConfiguration config, Connector connector, EndPoint endPoint) {
    super(config, connector, endPoint);
  }

  static HttpConnectionFactory factory(HttpConfiguration config) {
    return new HttpConnectionFactory(config) {
      @Override
      public Connection newConnection(Connector connector, EndPoint endPoint) {
        var connection = new Http1Connection(getHttpConfiguration(), connector, endPoint);
        return configure(connection, connector, endPoint);
      }
    };
  }

  /**
   * The virtual thread that has answered a request looks for the next one itself: the library would
   * wake another thread for it.
   */
  @Override
  protected Executor getExecutor() {
    return Thread.currentThread().isVirtual() ? Runnable::run : super.getExecutor();
  }

  /** Returns the target as it was sent, when the library has changed it; else null. */
  static @Nullable String target(Request request) {
    return (String) request.getConnectionMetaData().getAttribute(TARGET);
  }

  @Override
  protected HttpStreamOverHTTP1 newHttpStream(String method, String target, HttpVersion version) {
    try {
      removeAttribute(TARGET);
      return super.newHttpStream(method, target, version);
    } catch (IllegalArgumentException _) {
      HttpStreamOverHTTP1 stream = super.newHttpStream(method, target.replace("%", "%25"), version);
      setAttribute(TARGET, target);
      return stream;
    }
  }
}
