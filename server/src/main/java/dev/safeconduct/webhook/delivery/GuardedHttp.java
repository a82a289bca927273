package dev.safeconduct.webhook.delivery;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.io.HttpClientConnectionOperator;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.NoopHostnameVerifier;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParserFactory;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.http.message.MessageSupport;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Apache HttpClient with everything off that would connect, or read, more than one exchange with an
 * address that was checked: it asks no name server but is handed the addresses, since between two
 * look-ups of a name the answer may change (DNS rebinding); it follows no redirect, tries nothing
 * again, uses no proxy, keeps no cookie, expands no content.
 */
final class GuardedHttp {
  private static final int MAX_LINE = 8 << 10;
  private static final int MAX_HEADERS = 100;
  private static final int MAX_INTERIM = 10;
  private static final int SWITCHING_PROTOCOLS = 101;

  private static final Http1Config LIMITS =
      Http1Config.custom().setMaxLineLength(MAX_LINE).setMaxHeaderCount(MAX_HEADERS).build();

  /** Strict: the client's own parser would skip what stands before a status line. */
  private static final ManagedHttpClientConnectionFactory CONNECTIONS =
      ManagedHttpClientConnectionFactory.builder()
          .http1Config(LIMITS)
          .responseParserFactory(new DefaultHttpResponseParserFactory(LIMITS))
          .build();

  private static final RequestConfig PLAIN =
      RequestConfig.custom()
          .setAuthenticationEnabled(false)
          .setProtocolUpgradeEnabled(false)
          .build();

  /** The deadline of the try bounds the handshake. */
  private static final TlsConfig TLS =
      TlsConfig.custom().setHandshakeTimeout(Timeout.DISABLED).build();

  private GuardedHttp() {}

  /**
   * A client for one exchange.
   *
   * @param dependencies give the sockets and the certificates that are trusted
   * @param addresses the only ones it can connect to, in the order they are tried
   * @param share how long each of them may take to connect
   */
  static CloseableHttpClient open(
      WebhookDependencies dependencies, List<InetAddress> addresses, Duration share) {
    // The host name is checked by the JDK (RFC 9110 section 4.3.4).
    TlsSocketStrategy tls =
        (socket, host, port, attachment, context) ->
            new DefaultClientTlsStrategy(
                    dependencies.tls().get(),
                    HostnameVerificationPolicy.BUILTIN,
                    NoopHostnameVerifier.INSTANCE)
                .upgrade(socket, host, port, attachment, context);
    HttpClientConnectionOperator operator =
        new DefaultHttpClientConnectionOperator(
            _ -> dependencies.sockets().get(),
            null,
            new CheckedAddresses(addresses),
            scheme -> scheme.equals("https") ? tls : null);
    var connections = new BasicHttpClientConnectionManager(operator, CONNECTIONS);
    connections.setTlsConfig(TLS);
    connections.setConnectionConfig(
        ConnectionConfig.custom()
            .setConnectTimeout(Timeout.ofMilliseconds(Math.max(1, share.toMillis())))
            .build());
    return HttpClients.custom()
        .setConnectionManager(connections)
        .setRequestExecutor(new BoundedInterimResponses())
        .setConnectionReuseStrategy((_, _, _) -> false)
        .setDefaultRequestConfig(PLAIN)
        .disableAutomaticRetries()
        .disableRedirectHandling()
        .disableCookieManagement()
        .disableAuthCaching()
        .disableContentCompression()
        .disableDefaultUserAgent()
        // Or the list of public suffixes is read, for cookies that are never kept.
        .setDefaultCookieSpecRegistry(_ -> null)
        .build();
  }

  /** Hands the client the addresses that were checked, whatever name it asks for. */
  private record CheckedAddresses(List<InetAddress> addresses) implements DnsResolver {
    @Override
    public InetAddress[] resolve(String host) {
      return addresses.toArray(InetAddress[]::new);
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }

  /** Reads interim responses up to a bound, and takes 101 for a response like any other. */
  private static final class BoundedInterimResponses extends HttpRequestExecutor {
    @Override
    public ClassicHttpResponse execute(
        ClassicHttpRequest request,
        HttpClientConnection connection,
        @Nullable HttpResponseInformationCallback informationCallback,
        HttpContext context)
        throws IOException, HttpException {
      connection.sendRequestHeader(request);
      connection.sendRequestEntity(request);
      connection.flush();
      ClassicHttpResponse response = connection.receiveResponseHeader();
      for (int i = 0; isInterim(response.getCode()); i++) {
        if (i == MAX_INTERIM) {
          throw new ProtocolException("there is no end to interim responses");
        }
        response = connection.receiveResponseHeader();
      }
      if (MessageSupport.canResponseHaveBody(request.getMethod(), response)) {
        connection.receiveResponseEntity(response);
      }
      return response;
    }

    private static boolean isInterim(int status) {
      return status >= 100 && status < 200 && status != SWITCHING_PROTOCOLS;
    }
  }
}
