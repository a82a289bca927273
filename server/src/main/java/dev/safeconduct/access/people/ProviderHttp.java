package dev.safeconduct.access.people;

import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPRequestSender;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.http.ReadOnlyHTTPRequest;
import com.nimbusds.oauth2.sdk.http.ReadOnlyHTTPResponse;
import dev.safeconduct.net.IpAddress;
import dev.safeconduct.net.NonPublicHosts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * Requests to the identity provider: https, no redirects, a time limit for the whole answer and a
 * limit for its size. The operator names the provider, so it may be inside the network; addresses
 * that webhooks never reach, such as a cloud's metadata service, stay closed.
 */
final class ProviderHttp implements HTTPRequestSender, ResourceRetriever, AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration ANSWER = Duration.ofSeconds(8);
  private static final long MOST_ANSWER = 512 << 10;

  private final HttpClient client;

  /**
   * @param tls empty to trust the authorities that the JVM trusts
   */
  ProviderHttp(Optional<SSLContext> tls) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT);
    tls.ifPresent(builder::sslContext);
    client = builder.build();
  }

  @Override
  public ReadOnlyHTTPResponse send(ReadOnlyHTTPRequest request) throws IOException {
    boolean posts = request.getMethod() == HTTPRequest.Method.POST;
    HttpRequest.Builder sent =
        HttpRequest.newBuilder(request.getURI())
            .method(
                posts ? "POST" : "GET",
                posts && request.getBody() != null
                    ? BodyPublishers.ofString(request.getBody())
                    : BodyPublishers.noBody());
    request
        .getHeaderMap()
        .forEach((name, values) -> values.forEach(value -> sent.header(name, value)));
    HttpResponse<byte[]> answer = answered(sent);
    if (answer.statusCode() >= 500 || answer.statusCode() == 429) {
      throw new IOException(request.getURI() + " answers with the status " + answer.statusCode());
    }
    var response = new HTTPResponse(answer.statusCode());
    answer
        .headers()
        .map()
        .forEach((name, values) -> response.setHeader(name, values.toArray(String[]::new)));
    response.setBody(new String(answer.body(), StandardCharsets.UTF_8));
    return response;
  }

  @Override
  public Resource retrieveResource(URL url) throws IOException {
    HttpResponse<byte[]> answer =
        answered(HttpRequest.newBuilder(URI.create(url.toString())).GET());
    if (answer.statusCode() != 200) {
      throw new IOException(url + " answers with the status " + answer.statusCode());
    }
    return new Resource(
        new String(answer.body(), StandardCharsets.UTF_8),
        answer.headers().firstValue("Content-Type").orElse(""));
  }

  private HttpResponse<byte[]> answered(HttpRequest.Builder unsent) throws IOException {
    HttpRequest request = unsent.timeout(ANSWER).build();
    long deadline = System.nanoTime() + ANSWER.toNanos();
    // The name server may be slow, too, and its answer has no time limit of its own.
    within(
        deadline,
        CompletableFuture.runAsync(
            () -> check(request.uri()), task -> Thread.ofVirtual().start(task)));
    try {
      return within(
          deadline,
          client.sendAsync(
              request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_ANSWER)));
    } catch (SSLException e) {
      throw new SSLException(
          "TLS with "
              + request.uri().getAuthority()
              + " fails: "
              + e.getMessage()
              + ". If a private certificate authority vouches for it, name its PEM file in OIDC_CA",
          e);
    }
  }

  private static <T> T within(long deadline, CompletableFuture<T> call) throws IOException {
    try {
      return call.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause
          ? cause
          : new IOException(String.valueOf(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + ANSWER.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      call.cancel(true);
    }
  }

  private static void check(URI address) {
    try {
      if (!OidcConfig.isSafe(address)) {
        throw new IOException("the address " + address + " is not https");
      }
      for (InetAddress each : InetAddress.getAllByName(address.getHost())) {
        Optional<NonPublicHosts.Kind> kind =
            NonPublicHosts.kind(IpAddress.of(each.getAddress()))
                .filter(NonPublicHosts.Kind::isNever);
        if (kind.isPresent()) {
          throw new IOException(address.getHost() + ": its address is " + kind.get().wording());
        }
      }
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
