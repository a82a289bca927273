package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.identity.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class DrainTest {
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch leave = new CountDownLatch(1);

  private Response slow(Request request) {
    entered.countDown();
    try {
      assertThat(leave.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return Response.bytes(200, "text/plain", request.body());
  }

  @Test
  void aRunningRequestIsAnsweredAndNothingNewIsTaken() throws Exception {
    try (var server = new TestServer(Route.get("/slow", Permission.OPEN, this::slow));
        RawConnection idle = server.connect();
        RawConnection busy = server.connect()) {
      idle.send(TestServer.request("GET /healthz", "", ""));
      assertThat(idle.answer().status()).isEqualTo(200);
      busy.send(TestServer.request("GET /slow", "", ""));
      entered.await();
      Thread closing = Thread.ofVirtual().start(server.server()::close);
      assertThat(idle.isAtEnd()).as("idle connections are closed at once").isTrue();
      assertThatThrownBy(() -> server.get("/healthz", "")).isInstanceOf(IOException.class);
      leave.countDown();
      assertThat(busy.answer().status()).isEqualTo(200);
      assertThat(busy.isAtEnd()).isTrue();
      assertThat(closing.join(java.time.Duration.ofSeconds(5))).isTrue();
    }
  }

  @Tag("attack")
  @Tag("attack")
  @Test
  void beforeItStopsItGoesOnAndEndsEachConnectionWithAnAnswer() throws Exception {
    try (var server = new TestServer(Map.of("DRAIN_SECONDS", "1"));
        RawConnection kept = server.connect()) {
      server.server().ready(true);
      kept.send(TestServer.request("GET /readyz", "", ""));
      RawConnection.Answer before = kept.answer();
      assertThat(before.status()).isEqualTo(200);
      assertThat(before.header("Connection")).isEmpty();
      Thread closing =
          Thread.ofVirtual()
              .start(() -> {
                server.server().drain();
                server.server().close();
              });
      while (server.get("/readyz", "").status() == 200) {
        Thread.onSpinWait();
      }
      kept.send(TestServer.request("GET /healthz", "", ""));
      RawConnection.Answer last = kept.answer();
      assertThat(last.status()).isEqualTo(200);
      assertThat(last.header("Connection")).contains("close");
      assertThat(kept.isAtEnd()).isTrue();
      assertThat(server.get("/healthz", "").status()).as("a new connection").isEqualTo(200);
      closing.join();
      assertThatThrownBy(() -> server.get("/healthz", "")).isInstanceOf(IOException.class);
    }
  }

  /**
   * Clients that ask again as soon as they are answered, on kept and on new connections: whatever
   * request reaches the server while it stops is answered.
   */
  @RepeatedTest(3)
  @Timeout(60)
  void noRequestIsCutWhileItStops() throws Exception {
    var answered = new AtomicInteger();
    var cut = new ConcurrentLinkedQueue<String>();
    var clients = new ArrayList<Thread>();
    try (var server = new TestServer(Map.of("DRAIN_SECONDS", "1"))) {
      server.server().ready(true);
      for (int i = 0; i < 16; i++) {
        boolean kept = i % 2 == 0;
        clients.add(Thread.startVirtualThread(() -> askOn(server, kept, answered, cut)));
      }
      while (answered.get() < 500) {
        Thread.onSpinWait();
      }
      server.server().drain();
      int before = answered.get();
      server.server().close();
      for (Thread client : clients) {
        client.join();
      }
      assertThat(cut).isEmpty();
      assertThat(before).as("it went on for a while").isGreaterThan(600);
    }
  }

  /** Ends when the server takes no connection any more. */
  private static void askOn(
      TestServer server, boolean kept, AtomicInteger answered, Queue<String> cut) {
    while (true) {
      try (RawConnection connection = server.connect()) {
        boolean more = true;
        while (more) {
          try {
            connection.send(
                TestServer.request("GET /healthz", kept ? "" : "Connection: close\r\n", ""));
            RawConnection.Answer answer = connection.answer();
            assertThat(answer.status()).isEqualTo(200);
            answered.incrementAndGet();
            more = answer.header("Connection").isEmpty();
          } catch (IOException | RuntimeException | AssertionError e) {
            cut.add(e.toString());
            more = false;
          }
        }
      } catch (IOException e) {
        return; // it no longer listens
      }
    }
  }

  @Test
  void readinessFollowsTheWarmUp() throws IOException {
    try (var server = new TestServer()) {
      assertThat(server.get("/healthz", "").text()).isEqualTo("{\"ok\":true}");
      RawConnection.Answer early = server.get("/readyz", "");
      assertThat(early.status()).isEqualTo(503);
      assertThat(early.header("Retry-After")).contains("1");
      assertThat(early.json().string("error")).contains("unavailable");
      server.server().ready(true);
      assertThat(server.get("/readyz", "").status()).isEqualTo(200);
      server.server().ready(false);
      assertThat(server.get("/readyz", "").status()).isEqualTo(503);
    }
  }

  @Test
  void largeBodiesShareABudget() throws Exception {
    Route verify = Route.post("/verify", Permission.scope(Scope.READ), this::slow).large().verify();
    try (var server = new TestServer(Map.of("MAX_LARGE_BODIES_BYTES", "12582912"), verify);
        RawConnection first = server.connect()) {
      String headers = TestServer.READER + TestServer.JSON;
      String large = " ".repeat(7 << 20);
      first.send(TestServer.request("POST /verify", headers, large));
      entered.await();
      RawConnection.Answer second = server.post("/verify", headers, large);
      assertThat(second.status()).isEqualTo(503);
      assertThat(second.header("Retry-After")).contains("1");
      assertThat(second.text()).contains("\"retry_after\":1", "\"allow\":false");
      leave.countDown();
      assertThat(server.post("/verify", headers, " ").status())
          .as("small ones pass")
          .isEqualTo(200);
      assertThat(first.answer().status()).isEqualTo(200);
      assertThat(server.post("/verify", headers, large).status()).isEqualTo(200);
    }
  }

  /** A client that drips its body must not hold the room of others. */
  @Tag("attack")
  @Test
  void aLargeBodyThatDripsIsRefused() throws Exception {
    Route verify =
        Route.post("/verify", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
            .large()
            .verify();
    try (var server = new TestServer(Map.of("MAX_LARGE_BODIES_BYTES", "12582912"), verify);
        RawConnection slow = server.connect()) {
      String headers = TestServer.READER + TestServer.JSON;
      slow.send("POST /verify HTTP/1.1\r\nHost: x\r\n" + headers);
      slow.send("Content-Length: 12000000\r\n\r\n");
      assertThat(slow.drip(Duration.ofMillis(200), Duration.ofSeconds(20))).isFalse();
      assertThat(slow.rest()).contains("with at least 64 KiB a second");
      String large = "{}" + " ".repeat(7 << 20);
      assertThat(server.post("/verify", headers, large).status()).isEqualTo(200);
    }
  }

  @Test
  void aClientThatGoesAwayWithinItsBodyGivesTheBudgetBack() throws Exception {
    Route verify =
        Route.post("/verify", Permission.scope(Scope.READ), r -> Response.json(200, r.json()))
            .large()
            .verify();
    try (var server = new TestServer(Map.of("MAX_LARGE_BODIES_BYTES", "12582912"), verify)) {
      String headers = TestServer.READER + TestServer.JSON;
      String large = "{}" + " ".repeat(7 << 20);
      for (int i = 0; i < 3; i++) {
        try (RawConnection gone = server.connect()) {
          String request = TestServer.request("POST /verify", headers, large);
          gone.send(request.substring(0, request.length() / 2));
        }
        int status = 503;
        for (int tries = 0; status == 503 && tries < 2_000; tries++) {
          status = server.post("/verify", headers, large).status();
        }
        assertThat(status).isEqualTo(200);
      }
    }
  }

  @Test
  void metricsCountByRouteAndAreForTheAdminOnly() throws IOException {
    try (var server =
        new TestServer(Route.get("/a/{id}", Permission.OPEN, _ -> Response.empty(204)))) {
      server.get("/a/1", "");
      server.get("/a/2", "");
      server.get("/nowhere", "");
      assertThat(server.get("/metrics", TestServer.READER).status()).isEqualTo(403);
      RawConnection.Answer answer = server.get("/metrics", TestServer.ADMIN);
      assertThat(answer.header("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
      assertThat(answer.text())
          .contains(
              "http_server_requests_total{method=\"GET\",route=\"/a/{id}\",status=\"204\"} 2.0")
          .contains(
              "http_server_requests_total{method=\"ANY\",route=\"unrouted\",status=\"404\"} 1")
          .contains(
              "http_server_request_duration_seconds_count{method=\"GET\",route=\"/a/{id}\"} 2")
          .contains("jvm_memory_used_bytes");
    }
  }
}
