package dev.safeconduct.audit.stream;

import dev.safeconduct.config.Secret;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.net.RetryAfter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches by HTTP {@code POST}; a 2xx acknowledges one. A Splunk HTTP Event Collector with
 * indexer acknowledgement answers with an {@code ackId}, and is asked until it has indexed it.
 */
final class HttpReceiver implements StreamReceiver {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** How long Splunk may take to index what it has accepted. */
  private static final Duration INDEXING = Duration.ofMinutes(2);

  private static final Duration ASK_EVERY = Duration.ofMillis(500);
  private static final Duration CONFIRM_EVERY = Duration.ofSeconds(2);
  private static final int MOST_ANSWER = 64 << 10;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** 400 Bad Request, 413 Content Too Large, 422 Unprocessable Content. */
  private static final Set<Integer> ABOUT_THE_RECORDS = Set.of(400, 413, 422);

  private final AuditStream stream;
  private final StreamBody body;

  /** Names this sender to Splunk, which counts acknowledgements for each channel. */
  private final String channel = UUID.randomUUID().toString();

  private final Set<Long> unacknowledged = new TreeSet<>();

  /** Whether {@link #close} was called since the last request began; it may be another thread. */
  private volatile boolean closed;

  private volatile @Nullable HttpClient client;
  private volatile @Nullable CompletableFuture<HttpResponse<byte[]>> running;

  HttpReceiver(AuditStream stream, StreamBody body) {
    this.stream = stream;
    this.body = body;
  }

  @Override
  public Optional<Rejection> send(List<StreamRecord> records) throws IOException {
    if (closed) {
      closed = false;
      unacknowledged.clear();
    }
    HttpResponse<byte[]> response = post(stream.url(), body.bytes(records), body.contentType());
    if (response.statusCode() / 100 != 2) {
      throw refused(response);
    }
    if (stream.protocol() == AuditStream.Protocol.SPLUNK) {
      JsonObject answer = json(response.body());
      // Code 0 is success (Splunk, "HTTP Event Collector"); a proxy may answer in its place.
      if (!(answer.get("code") instanceof JsonNumber(double code, _)) || code != 0) {
        throw new IOException("the answer is not Splunk's: " + shown(response.body()));
      }
      if (answer.get("ackId") instanceof JsonNumber(double id, _)) {
        unacknowledged.add((long) id);
      }
    }
    return body.rejection(response.body());
  }

  @Override
  public void confirm() throws IOException {
    long deadline = System.nanoTime() + INDEXING.toNanos();
    while (!unacknowledged.isEmpty()) {
      if (closed) {
        throw ended();
      }
      String ids = unacknowledged.toString();
      HttpResponse<byte[]> response =
          post(
              acknowledgements(),
              ("{\"acks\":" + ids + "}").getBytes(StandardCharsets.US_ASCII),
              "application/json");
      if (response.statusCode() != 200) {
        throw refused(response);
      }
      JsonObject acks = json(response.body()).object("acks").orElse(JsonObject.EMPTY);
      unacknowledged.removeIf(id -> acks.isTrue(Long.toString(id)));
      if (!unacknowledged.isEmpty()) {
        if (System.nanoTime() - deadline > 0) {
          throw new IOException("Splunk has not indexed what it accepted");
        }
        pause();
      }
    }
  }

  private URI acknowledgements() {
    return stream.url().resolve(ownPath() + "/services/collector/ack?channel=" + channel);
  }

  /** The path below which a proxy may have put the receiver; it often contains a token. */
  private String ownPath() {
    return stream.url().getRawPath().replaceFirst("/(services/collector(/.*)?|v1/logs)?$", "");
  }

  private static IOException ended() {
    return new IOException("this service has ended the connection");
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(ASK_EVERY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public Duration confirmEvery() {
    return stream.protocol() == AuditStream.Protocol.SPLUNK ? CONFIRM_EVERY : Duration.ZERO;
  }

  @Override
  public void check() {}

  private HttpResponse<byte[]> post(URI url, byte[] content, String type) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url).timeout(ANSWER).header("Content-Type", type);
    byte[] sent = content;
    if (stream.options().gzip()) {
      var packed = new ByteArrayOutputStream(content.length / 4 + 64);
      try (var out = new GZIPOutputStream(packed)) {
        out.write(content);
      }
      sent = packed.toByteArray();
      request.header("Content-Encoding", "gzip");
    }
    stream.options().headers().forEach((name, value) -> request.setHeader(name, value.reveal()));
    if (stream.protocol() == AuditStream.Protocol.SPLUNK) {
      request.header("X-Splunk-Request-Channel", channel);
    }
    request.POST(HttpRequest.BodyPublishers.ofByteArray(sent));
    return answered(request.build());
  }

  /** The client's own time-out ends with the head of the answer; this one with its last byte. */
  private HttpResponse<byte[]> answered(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> call = client().sendAsync(request, _ -> beginning());
    running = call;
    try {
      return call.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | CancellationException e) {
      if (closed) {
        throw ended();
      }
      throw e.getCause() instanceof IOException cause
          ? cause
          : new IOException(String.valueOf(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + ANSWER.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      running = null;
      call.cancel(true);
    }
  }

  /** The status counts however long the answer is; some receivers return what they were sent. */
  private static HttpResponse.BodySubscriber<byte[]> beginning() {
    var kept = new ByteArrayOutputStream();
    return BodySubscribers.mapping(
        BodySubscribers.ofByteArrayConsumer(read ->
            read.ifPresent(
                part -> kept.write(part, 0, Math.min(part.length, MOST_ANSWER - kept.size())))),
        _ -> kept.toByteArray());
  }

  private HttpClient client() throws IOException {
    HttpClient open = client;
    if (open == null) {
      try {
        open =
            HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT)
                .sslContext(stream.options().tls().context())
                .build();
      } catch (GeneralSecurityException e) {
        throw new IOException("the certificates cannot be used: " + e.getMessage(), e);
      }
      client = open;
    }
    return open;
  }

  private StreamException refused(HttpResponse<byte[]> response) {
    Duration wait =
        response
            .headers()
            .firstValue("Retry-After")
            .flatMap(text -> RetryAfter.read(text, Instant.now()))
            .orElse(Duration.ZERO);
    return new StreamException(
        "status " + response.statusCode() + ": " + shown(response.body()),
        ABOUT_THE_RECORDS.contains(response.statusCode()),
        wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait);
  }

  /** Without the secrets of the request, which some receivers return; JSON may write / as \/. */
  private String shown(byte[] answer) {
    String text = new String(answer, StandardCharsets.UTF_8).replace("\\/", "/");
    for (Secret header : stream.options().headers().values()) {
      for (String word : header.reveal().replaceFirst("^[A-Za-z]+ +", "").split(" +", -1)) {
        text = text.replace(word, "[redacted]");
      }
    }
    return ownPath().isEmpty() ? text : text.replace(ownPath(), "[redacted]");
  }

  private static JsonObject json(byte[] answer) {
    try {
      return Json.parseObject(answer);
    } catch (JsonFault _) {
      return JsonObject.EMPTY;
    }
  }

  @Override
  public void close() {
    closed = true;
    CompletableFuture<HttpResponse<byte[]>> call = running;
    if (call != null) {
      call.cancel(true);
    }
    HttpClient open = client;
    client = null;
    if (open != null) {
      open.shutdownNow();
    }
  }
}
