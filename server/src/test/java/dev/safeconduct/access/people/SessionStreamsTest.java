package dev.safeconduct.access.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.Letters;
import dev.safeconduct.testkit.Pages;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who listens by a session hears nothing more once it has ended or become another. */
@Timeout(60)
final class SessionStreamsTest {
  @AutoClose
  private static final TestService service =
      TestService.start(Map.of("RATE_LOGIN_PER_MINUTE", "0"));

  private static int people;

  /** Somebody signed in, and the cookies they listen with. */
  record Listener(Calls calls, String cookies, String email, String id) {
    static Listener of(String role) {
      return signedIn(joined(role));
    }

    static Listener operator() {
      Listener person = of("member");
      person.isMade("{\"operator\": true}");
      return signedIn(person.email());
    }

    private static String joined(String role) {
      String email = "listener-" + people++ + "@example.com";
      service.member(service.org(), email, role);
      return email;
    }

    private static Listener signedIn(String email) {
      Reply login = SessionStreamsTest.login(email);
      Calls calls =
          service
              .nobody()
              .with("Cookie", Pages.cookies(login))
              .with("Sec-Fetch-Site", "same-origin")
              .with("X-CSRF-Token", login.string("csrf_token"));
      return new Listener(calls, Pages.cookies(login), email, login.string("account_id"));
    }

    String path() {
      return "/api/orgs/" + service.org() + "/members/" + id;
    }

    void isMade(String change) {
      assertThat(service.admin().patch(path(), change).status()).isEqualTo(200);
    }

    void isSignedOut() {
      assertThat(calls.post("/api/auth/logout", "{}").status()).isEqualTo(200);
    }

    void isRemoved() {
      assertThat(service.admin().delete(path()).status()).isEqualTo(200);
    }

    void setsAnotherPassword() {
      service.nobody().post("/api/auth/password/forgot", "{\"email\": \"" + email + "\"}");
      String letter = service.letters().await(email, 2).getLast();
      service.setPassword(Letters.path(letter, "/password/"), email);
    }

    void movesElsewhere() {
      String other = service.admin().post("/api/orgs", "{\"name\": \"O\"}").string("org_id");
      service
          .admin()
          .post(
              "/api/orgs/" + other + "/members",
              "{\"email\": \"" + email + "\", \"role\": \"member\"}");
      Reply moved = calls.post("/api/auth/refresh", "{\"org_id\": \"" + other + "\"}");
      assertThat(moved.status()).isEqualTo(200);
    }
  }

  private static Reply login(String email) {
    Reply reply = service.login(email);
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    return reply;
  }

  /** What happens to a listener. */
  interface End {
    void comesTo(Listener listener);
  }

  private static Arguments end(String name, String who, End end) {
    return arguments(name, who, end);
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        end("log-out", "admin", Listener::isSignedOut),
        end("another role", "admin", listener -> listener.isMade("{\"role\": \"auditor\"}")),
        end("removal", "member", Listener::isRemoved),
        end("another password", "auditor", Listener::setsAnotherPassword),
        end("another organization", "member", Listener::movesElsewhere),
        end("an operator's log-out", "operator", Listener::isSignedOut),
        end("no operator", "operator", listener -> listener.isMade("{\"operator\": false}")),
        end("a revoked session key", "member", _ -> revokeTheSessionKey()));
  }

  private static void revokeTheSessionKey() {
    for (JsonValue each :
        service.admin().get("/api/signing-keys").json().array("keys").orElseThrow()) {
      var key = (JsonObject) each;
      if (key.string("purpose").orElseThrow().equals("session")
          && key.string("status").orElseThrow().equals("current")) {
        Reply revoked =
            service
                .admin()
                .post(
                    "/api/admin/signing-keys/" + key.string("kid").orElseThrow() + "/revoke",
                    "{\"reason\": \"for the test\"}");
        assertThat(revoked.status()).as(revoked.toString()).isEqualTo(200);
        return;
      }
    }
    throw new AssertionError("no session key");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ends")
  void aStreamEndsWithItsSession(String name, String who, End end) throws Exception {
    Listener listener = who.equals("operator") ? Listener.operator() : Listener.of(who);
    String agent = Questions.hosted(service, 5);
    String org = who.equals("operator") ? "?org_id=" + service.org() : "";
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(service.base() + "api/revocations" + org))
              .header("Cookie", listener.cookies())
              .header("Accept", "text/event-stream")
              .build();
      HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
      assertThat(answer.statusCode()).isEqualTo(200);
      end.comesTo(listener);
      Questions.status(service, agent, "suspended");
      CompletableFuture<String> heard =
          CompletableFuture.supplyAsync(() -> {
            try {
              return new String(answer.body().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      try {
        assertThat(heard.get(5, TimeUnit.SECONDS)).as(name).doesNotContain("suspended");
      } finally {
        client.shutdownNow();
      }
    }
  }

  /** Renewing a session's cookies changes nothing of what it may hear. */
  @Test
  void aStreamGoesOnWhileItsSessionDoes() throws Exception {
    Listener listener = Listener.of("member");
    String cursor = listener.calls().get("/api/revocations").string("next_cursor");
    CompletableFuture<Reply> waiting =
        CompletableFuture.supplyAsync(
            () -> listener.calls().get("/api/revocations?wait_ms=30000&cursor=" + cursor));
    assertThat(listener.calls().post("/api/auth/refresh", "{}").status()).isEqualTo(200);
    assertThat(waiting.get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
  }

  @Test
  void aPageIsNotGivenToASessionThatEndedMeanwhile() throws Exception {
    Listener listener = Listener.of("member");
    for (String wait : List.of("0", "30000")) {
      assertThat(listener.calls().get("/api/revocations?cursor=0&wait_ms=" + wait).status())
          .isEqualTo(200);
    }
    String cursor = listener.calls().get("/api/revocations").string("next_cursor");
    CompletableFuture<Reply> waiting =
        CompletableFuture.supplyAsync(
            () -> listener.calls().get("/api/revocations?wait_ms=30000&cursor=" + cursor));
    listener.isSignedOut();
    assertThat(waiting.get(20, TimeUnit.SECONDS).status()).isEqualTo(401);
  }
}
