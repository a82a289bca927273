package dev.safeconduct.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The client against a server that plays a script. */
class ClientVectorsTest {

  @TestFactory
  List<DynamicTest> client() {
    Map<String, @Nullable Object> recorded = Vectors.read("answers.json");
    List<DynamicTest> tests = new ArrayList<>();
    for (Map<String, @Nullable Object> script :
        Vectors.objects(Vectors.read("client.json"), "cases")) {
      tests.add(
          dynamicTest(Vectors.text(script, "name", "?"), () -> new Run(script, recorded).play()));
    }
    return tests;
  }

  private static final class ActionFailed extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** One case. */
  private static final class Run {
    private final ScriptServer server;
    private final Map<String, @Nullable Object> script;
    private final Map<String, @Nullable Object> recorded;
    private boolean hasRun;

    Run(Map<String, @Nullable Object> given, Map<String, @Nullable Object> recorded)
        throws Exception {
      this.recorded = recorded;
      try (var filler = new ScriptServer(given, recorded)) {
        script =
            Json.object(
                Json.parse(
                    Vectors.bytes(
                        filler.fill(new String(Json.write(given), StandardCharsets.UTF_8)))));
      }
      server = new ScriptServer(script, recorded);
    }

    void play() throws Exception {
      if (!Vectors.is(script, "refused") && !script.containsKey("listen_after_ms")) {
        server.start();
      }
      List<Map<String, @Nullable Object>> steps = Vectors.objects(script, "steps");
      try (server;
          Safeconduct client = client()) {
        if (script.containsKey("listen_after_ms")) {
          startLater(Vectors.number(script, "listen_after_ms", 0));
        }
        for (Map<String, @Nullable Object> step : steps) {
          step(client, step);
        }
        compareRequests();
      } catch (IllegalArgumentException e) {
        assertThat(Vectors.object(steps.get(0), "expect").get("throws"))
            .as("%s", e)
            .isEqualTo("argument");
      }
    }

    private void startLater(int millis) {
      var thread =
          new Thread(() -> {
            try {
              TimeUnit.MILLISECONDS.sleep(millis);
              server.start();
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      thread.start();
    }

    private Safeconduct client() {
      Map<String, @Nullable Object> options = Vectors.object(script, "options");
      SafeconductBuilder builder =
          Safeconduct.builder()
              .baseUrl(server.address() + Vectors.text(options, "base_url_suffix", ""))
              .apiKey(Vectors.text(options, "api_key", "sck_test"))
              .timeout(Duration.ofMillis(Vectors.number(options, "timeout_ms", 20_000)))
              .pollInterval(Duration.ofMillis(Vectors.number(options, "poll_ms", 2_000)));
      if (options.get("require_signature") instanceof Boolean required) {
        builder.requireSignature(required);
      }
      if (Vectors.is(options, "cache")) {
        builder.cache();
      }
      if (Vectors.is(options, "minimal_context")) {
        builder.minimalContext();
      }
      return builder.build();
    }

    private void step(Safeconduct client, Map<String, @Nullable Object> step) throws Exception {
      switch (Json.text(step, "call")) {
        case "connect" -> waitUntil(client::isFollowing);
        case "event" -> {
          long drops = client.drops();
          server.event(Json.text(step, "event"), step.get("data"));
          waitUntil(() -> client.drops() > drops);
        }
        case "end_stream" -> {
          server.endStream();
          waitUntil(() -> !client.isFollowing());
        }
        case "silence" -> server.silence();
        // The time is what the case is about.
        case "wait" -> TimeUnit.MILLISECONDS.sleep(Vectors.number(step, "ms", 0));
        case "batch" -> {
          List<Decision> decisions =
              client.checkBatch(
                  ((List<?>) Json.list(step, "questions")).stream().map(this::action).toList());
          List<Map<String, @Nullable Object>> expected = Vectors.objects(step, "expect");
          assertThat(decisions).hasSameSizeAs(expected);
          for (int i = 0; i < decisions.size(); i++) {
            compare(expected.get(i), decisions.get(i), null);
          }
        }
        default -> call(client, step);
      }
    }

    private static void waitUntil(BooleanSupplier condition) throws Exception {
      long ends = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() > ends) {
          throw new TimeoutException("the condition did not become true");
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }

    private void call(Safeconduct client, Map<String, @Nullable Object> step) {
      hasRun = false;
      Map<String, @Nullable Object> expect = Vectors.object(step, "expect");
      long started = System.nanoTime();
      Object outcome = null;
      Exception thrown = null;
      try {
        outcome = outcome(client, step);
      } catch (Exception e) {
        thrown = e;
      }
      long took = Duration.ofNanos(System.nanoTime() - started).toMillis();
      compare(expect, outcome, thrown);
      assertThat(took).isLessThan(time(step, expect, "within_ms", 60_000));
      assertThat(took).isGreaterThanOrEqualTo(time(step, expect, "after_ms", 0));
    }

    private static long time(
        Map<String, @Nullable Object> step,
        Map<String, @Nullable Object> expect,
        String name,
        int otherwise) {
      return Vectors.number(step, name, Vectors.number(expect, name, otherwise));
    }

    private @Nullable Object outcome(Safeconduct client, Map<String, @Nullable Object> step)
        throws Exception {
      return switch (Json.text(step, "call")) {
        case "set_status" ->
            client.setStatus(
                Json.text(step, "agent_id"),
                Json.text(step, "status"),
                Json.optionalText(step, "reason"));
        case "passport" -> client.passport(Json.text(step, "agent_id"));
        case "issue" -> client.issue(Vectors.object(step, "passport"));
        case "check" -> client.check(action(step.get("question")), options(step));
        case "guard" ->
            client.guard(
                action(step.get("question")),
                options(step),
                () -> {
                  hasRun = true;
                  if (Vectors.text(step, "fn", "returns").equals("throws")) {
                    throw new ActionFailed();
                  }
                  return "done";
                });
        default -> throw new AssertionError("unknown call: " + step);
      };
    }

    private Action action(@Nullable Object question) {
      Map<String, @Nullable Object> members =
          question instanceof String name
              ? Vectors.object(Vectors.object(recorded, "questions"), name)
              : Json.object(question);
      return Action.of(
          Json.optionalText(members, "agent_id"),
          Vectors.text(members, "policy", ""),
          Json.object(members.get("context")));
    }

    private static CheckOptions options(Map<String, @Nullable Object> step) {
      Map<String, @Nullable Object> given = Vectors.object(step, "options");
      return new CheckOptions(
          null,
          Vectors.is(given, "reserve"),
          Vectors.is(given, "dry_run"),
          Json.optionalText(given, "idempotency_key"),
          Json.optionalText(given, "request_id"),
          Json.optionalText(given, "traceparent"),
          Duration.ofMillis(Vectors.number(given, "wait_for_approval_ms", 0)));
    }

    private void compare(
        Map<String, @Nullable Object> expect,
        @Nullable Object outcome,
        @Nullable Exception thrown) {
      assertThat(kind(thrown)).as("%s", thrown).isEqualTo(expect.get("throws"));
      Decision decision =
          thrown instanceof ActionDeniedException denied
              ? denied.decision()
              : outcome instanceof Decision made ? made : null;
      expect.forEach((name, wanted) -> {
        switch (name) {
          case "throws", "within_ms", "after_ms" -> {}
          case "ran" -> assertThat(hasRun).isEqualTo(wanted);
          case "returns" -> assertThat(outcome).isEqualTo(wanted);
          case "result" ->
              Json.object(wanted)
                  .forEach((pointer, value) ->
                      assertThat(
                              ScriptServer.place(outcome, pointer).get(ScriptServer.last(pointer)))
                          .isEqualTo(value));
          default ->
              assertThat(decision == null ? member(thrown, name) : member(decision, name))
                  .as("%s of %s", name, decision)
                  .isEqualTo(wanted);
        }
      });
    }

    private static @Nullable String kind(@Nullable Exception thrown) {
      if (thrown == null) {
        return null;
      }
      return thrown instanceof ActionDeniedException
          ? "denied"
          : thrown instanceof ApiException
              ? "api"
              : thrown instanceof ServiceUnavailableException
                  ? "unavailable"
                  : thrown instanceof ActionFailed ? "fn" : "argument";
    }

    private static @Nullable Object member(Decision decision, String name) {
      return switch (name) {
        case "allow" -> decision.allow();
        case "code" -> decision.reason().code();
        case "verified" -> decision.verified();
        case "approval" -> decision.approval() != null;
        case "status" -> decision.status();
        case "error_code" -> decision.errorCode();
        default -> throw new AssertionError("unknown expectation: " + name);
      };
    }

    private static @Nullable Object member(@Nullable Exception thrown, String name) {
      ApiException e = (ApiException) java.util.Objects.requireNonNull(thrown);
      return switch (name) {
        case "status" -> e.status();
        case "code" -> e.code();
        case "field" -> e.field();
        case "request_id" -> e.requestId();
        case "message" -> e.detail();
        default -> throw new AssertionError("unknown expectation: " + name);
      };
    }

    private void compareRequests() {
      if (script.containsKey("jwks_requests")) {
        assertThat(server.keySetRequests()).isEqualTo(script.get("jwks_requests"));
      }
      if (!script.containsKey("requests")) {
        return;
      }
      List<ScriptServer.Received> received = server.requests();
      List<Map<String, @Nullable Object>> wanted = Vectors.objects(script, "requests");
      assertThat(received).hasSameSizeAs(wanted);
      for (int i = 0; i < wanted.size(); i++) {
        compareRequest(wanted.get(i), received.get(i), received);
      }
    }

    private void compareRequest(
        Map<String, @Nullable Object> wanted,
        ScriptServer.Received request,
        List<ScriptServer.Received> all) {
      if (wanted.containsKey("method")) {
        assertThat(request.method()).isEqualTo(wanted.get("method"));
      }
      if (wanted.containsKey("path")) {
        assertThat(request.path()).isEqualTo(wanted.get("path"));
      }
      if (wanted.containsKey("body")) {
        assertThat(request.body()).isEqualTo(wanted.get("body"));
      }
      if (wanted.get("body_of") instanceof String name) {
        Map<String, @Nullable Object> question =
            Vectors.object(Vectors.object(recorded, "questions"), name);
        for (String member : List.of("agent_id", "context")) {
          assertThat(Json.object(request.body()).get(member)).isEqualTo(question.get(member));
        }
      }
      Vectors.object(wanted, "body_has")
          .forEach(
              (name, value) -> assertThat(Json.object(request.body()).get(name)).isEqualTo(value));
      Vectors.object(wanted, "headers")
          .forEach((name, value) -> {
            String lower = name.toLowerCase(java.util.Locale.ROOT);
            String header = request.headers().get(lower);
            if (!(value instanceof String expected)) {
              assertThat(header).isNull();
            } else if (expected.equals("*")) {
              assertThat(header).isNotNull();
            } else if (expected.matches("=\\d")) {
              assertThat(header).isEqualTo(other(all, expected).get(lower));
            } else if (expected.matches("!\\d")) {
              assertThat(header).isNotEqualTo(other(all, expected).get(lower));
            } else if (expected.startsWith("~")) {
              assertThat(header).containsPattern(expected.substring(1));
            } else {
              assertThat(header).isEqualTo(expected);
            }
          });
    }

    private static Map<String, String> other(List<ScriptServer.Received> all, String expected) {
      return all.get(expected.charAt(1) - '0').headers();
    }
  }
}
