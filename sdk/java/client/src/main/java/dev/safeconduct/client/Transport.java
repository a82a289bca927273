package dev.safeconduct.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * JSON requests over HTTP, each within a time-out. Redirects and system proxies are not followed:
 * the key goes to the configured address only.
 */
final class Transport {
  private static final int MAX_ANSWER_BYTES = 4 * 1024 * 1024;
  private static final int MAX_ATTEMPTS = 3;
  private static final long FIRST_PAUSE_MILLIS = 50;

  private final String baseUrl;
  private final @Nullable String apiKey;
  private final HttpClient http;

  /**
   * An answer of the service.
   *
   * @param status the HTTP status
   * @param headers the header fields
   * @param body its JSON
   */
  record Answer(int status, java.net.http.HttpHeaders headers, @Nullable Object body) {}

  Transport(String baseUrl, @Nullable String apiKey, @Nullable SSLContext tls) {
    this.baseUrl = checkBaseUrl(baseUrl);
    checkHeader("apiKey", apiKey);
    this.apiKey = apiKey;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY);
    if (isDirect(this.baseUrl)) {
      // What is done with an answer is then too little to hand it over to another thread.
      builder.executor(Runnable::run);
    }
    this.http = (tls == null ? builder : builder.sslContext(tls)).build();
  }

  /**
   * Sends a request and returns the answer, whatever its status is. A request that did not reach
   * the service is sent again. A 503 with {@code Retry-After} is retried only if the request is
   * repeatable. Both keep the time-out.
   *
   * @throws ServiceUnavailableException if there is no valid answer within the time-out
   */
  Answer send(
      String method,
      String path,
      byte @Nullable [] body,
      Map<String, String> headers,
      Duration timeout,
      boolean repeatable) {
    long deadline = System.nanoTime() + timeout.toNanos();
    long pause = FIRST_PAUSE_MILLIS;
    for (int attempt = 1; ; attempt++) {
      boolean isLast = attempt == MAX_ATTEMPTS;
      Answer answer = null;
      OptionalDouble wait = OptionalDouble.empty();
      try {
        answer = exchange(method, path, body, headers, deadline);
        if (repeatable && !isLast) {
          wait = retryAfter(answer);
        }
      } catch (ConnectException e) {
        if (isLast) {
          throw new ServiceUnavailableException(
              "Safeconduct at " + baseUrl + " cannot be reached.", null);
        }
        wait = OptionalDouble.of(pause / 1000.0);
        pause *= 2;
      }
      boolean isInTime =
          wait.isPresent() && wait.getAsDouble() * 1e9 < deadline - System.nanoTime();
      if (!isInTime) {
        if (answer == null) {
          throw new ServiceUnavailableException(
              "Safeconduct at " + baseUrl + " cannot be reached in time.", null);
        }
        return answer;
      }
      pause(wait.getAsDouble());
    }
  }

  private Answer exchange(
      String method,
      String path,
      byte @Nullable [] body,
      Map<String, String> headers,
      long deadline)
      throws ConnectException {
    HttpRequest.Builder request = request(path, headers);
    request.header("Accept", "application/json");
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    request.method(
        method,
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofByteArray(body));
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(request.build(), head -> new LimitedBody());
    try {
      HttpResponse<byte[]> response =
          sent.get(Math.max(deadline - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
      return new Answer(response.statusCode(), response.headers(), json(response));
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new ServiceUnavailableException("Safeconduct did not answer in time.", null);
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException("The thread was interrupted.", null);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof ConnectException refused) {
        throw refused;
      }
      throw new ServiceUnavailableException(
          "The answer of Safeconduct is not valid: " + cause, null);
    }
  }

  /** Opens a stream of server-sent events; its lines go to the subscriber. */
  CompletableFuture<HttpResponse<Void>> stream(String path, Flow.Subscriber<String> lines) {
    HttpRequest.Builder request = request(path, Map.of("Accept", "text/event-stream"));
    return http.sendAsync(
        request.build(),
        head ->
            head.statusCode() == 200
                ? HttpResponse.BodySubscribers.fromLineSubscriber(lines)
                : HttpResponse.BodySubscribers.discarding());
  }

  private HttpRequest.Builder request(String path, Map<String, String> headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(baseUrl + path));
    request.header("User-Agent", "safeconduct-java/" + Version.VERSION);
    headers.forEach(request::header);
    if (apiKey != null) {
      request.header("X-API-Key", apiKey);
    }
    return request;
  }

  private static @Nullable Object json(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    String type =
        response
            .headers()
            .firstValue("Content-Type")
            .orElse("")
            .split(";", 2)[0]
            .strip()
            .toLowerCase(Locale.ROOT);
    if (!type.equals("application/json") && !type.endsWith("+json")) {
      throw new ServiceUnavailableException(
          "The answer of Safeconduct has the status " + status + " and no JSON.", status);
    }
    try {
      return Json.parse(response.body());
    } catch (InvalidAnswer e) {
      throw new ServiceUnavailableException(
          "The answer of Safeconduct is not valid: " + e.getMessage(), status);
    }
  }

  /** Returns how many seconds to wait before a retry, if there should be one. */
  private static OptionalDouble retryAfter(Answer answer) {
    String value = answer.headers().firstValue("Retry-After").orElse("");
    return answer.status() == 503 && value.matches("[0-9]{1,9}")
        ? OptionalDouble.of(Math.max(Integer.parseInt(value), FIRST_PAUSE_MILLIS / 1000.0))
        : OptionalDouble.empty();
  }

  static void pause(double seconds) {
    try {
      TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException("The thread was interrupted.", null);
    }
  }

  /** Returns whether the text can be one segment of a path. */
  static boolean isSegment(@Nullable String text) {
    return text != null && !text.isEmpty() && !text.equals(".") && !text.equals("..");
  }

  /**
   * Encodes one segment of a path.
   *
   * @throws IllegalArgumentException if the text cannot be one
   */
  static String segment(String text) {
    if (!isSegment(text)) {
      throw new IllegalArgumentException("\"" + text + "\" is not an id");
    }
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static void checkHeader(String name, @Nullable String value) {
    if (value != null && (value.isEmpty() || !value.chars().allMatch(c -> c >= ' ' && c < 127))) {
      throw new IllegalArgumentException(name + " is not a valid header value");
    }
  }

  /** Whether a connection needs neither TLS nor the resolution of a name, which may take long. */
  static boolean isDirect(String baseUrl) {
    URI url = URI.create(baseUrl);
    String host = url.getHost();
    return "http".equals(url.getScheme())
        && (host.equals("localhost") || host.startsWith("[") || host.matches("[0-9.]+"));
  }

  private static String checkBaseUrl(String text) {
    URI url = URI.create(text);
    if ((!"http".equals(url.getScheme()) && !"https".equals(url.getScheme()))
        || url.getHost() == null
        || url.getRawUserInfo() != null
        || url.getRawQuery() != null
        || url.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "baseUrl is not an http or https URL of a host whose name has no underscore, without"
              + " credentials, query and fragment");
    }
    return text.replaceAll("/+$", "");
  }

  /** Collects a body, up to a limit. */
  private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription subscription;

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (ByteBuffer buffer : buffers) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        collected.writeBytes(bytes);
      }
      if (collected.size() > MAX_ANSWER_BYTES && subscription != null) {
        subscription.cancel();
        body.completeExceptionally(new IOException("the answer is too long"));
      }
    }

    @Override
    public void onError(Throwable fault) {
      body.completeExceptionally(fault);
    }

    @Override
    public void onComplete() {
      body.complete(collected.toByteArray());
    }
  }
}
