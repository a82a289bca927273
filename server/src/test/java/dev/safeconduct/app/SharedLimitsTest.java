package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What one client uses up is not taken from the others. */
@Tag("attack")
@Timeout(120)
final class SharedLimitsTest {
  private static final Map<String, String> LIMITED =
      Map.of("RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", "60");

  @Test
  void wrongKeysOfAnAddressDoNotDelayASuspensionNorNewKeys(@TempDir Path folder) throws Exception {
    String agent;
    String old;
    try (TestService service = TestService.start(folder, LIMITED)) {
      agent = Questions.hosted(service, 5);
      old = service.key();
      try (var _ = new WrongKeys(service)) {
        Questions.status(service, agent, "suspended");
        String fresh =
            Questions.newKey(service, service.org(), "{'name': 'k', 'scopes': ['list_agents']}");
        assertThat(service.withKey(fresh).get("/api/passports").status()).isEqualTo(200);
      }
    }
    // Nothing is cached after a restart.
    try (TestService service = TestService.start(folder, LIMITED);
        var _ = new WrongKeys(service)) {
      assertThat(service.withKey(old).get("/api/passports").status()).isEqualTo(200);
      Questions.status(service, agent, "active");
    }
  }

  /** A hundred wrong keys and more each second from the address of everybody. */
  private static final class WrongKeys implements AutoCloseable {
    private static final int CLIENTS = 20;

    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger unauthorized = new AtomicInteger();
    private final Semaphore limited = new Semaphore(0);
    private final List<Future<?>> clients = new ArrayList<>();

    WrongKeys(TestService service) {
      var threads = Executors.newVirtualThreadPerTaskExecutor();
      for (int i = 0; i < CLIENTS; i++) {
        Calls calls = service.withKey("sck_bad" + i);
        clients.add(threads.submit(() -> send(calls)));
      }
      threads.shutdown();
      limited.acquireUninterruptibly(CLIENTS); // The address is over its limit from now on.
    }

    private void send(Calls calls) {
      while (!ended.get()) {
        Reply reply = calls.get("/api/passports");
        if (reply.status() == 429) {
          limited.release();
        } else {
          assertThat(reply.status()).isEqualTo(401);
          unauthorized.incrementAndGet();
        }
      }
    }

    @Override
    public void close() {
      ended.set(true);
      for (Future<?> client : clients) {
        try {
          client.get();
        } catch (InterruptedException | ExecutionException e) {
          throw new AssertionError(e);
        }
      }
      assertThat(unauthorized.get()).isBetween(60, 60 + CLIENTS);
    }
  }

  @Test
  void oneKeyDoesNotTakeTheStreamsOfTheOthers() throws Exception {
    try (TestService service = TestService.start();
        HttpClient client = HttpClient.newHttpClient()) {
      var open = new ArrayList<HttpResponse<InputStream>>();
      HttpResponse<InputStream> refused = stream(client, service, service.key());
      while (refused.statusCode() == 200 && open.size() < 1_000) {
        open.add(refused);
        refused = stream(client, service, service.key());
      }
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(new String(refused.body().readAllBytes(), StandardCharsets.UTF_8))
          .contains("This credential has");
      String other = Questions.Tenant.made(service, "Other", "'read'").key();
      open.add(stream(client, service, other));
      assertThat(open.getLast().statusCode()).isEqualTo(200);
      for (HttpResponse<InputStream> each : open) {
        each.body().close();
      }
    }
  }

  private static HttpResponse<InputStream> stream(
      HttpClient client, TestService service, String key) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(service.base() + "api/revocations"))
            .header("X-API-Key", key)
            .header("Accept", "text/event-stream")
            .build(),
        BodyHandlers.ofInputStream());
  }
}
