package dev.safeconduct.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The client with a running service: {@code SAFECONDUCT_URL}, {@code SAFECONDUCT_API_KEY} (all
 * scopes), {@code SAFECONDUCT_RANDOM} (the folder that {@code sdk/vectors/random.mjs} wrote).
 * {@code sdk/test} sets them.
 */
@Tag("service")
class ServiceTest {
  private static final String POLICY = "system.command.execute.v1";
  private static final Safeconduct CLIENT =
      Safeconduct.builder().timeout(Duration.ofSeconds(20)).build();
  private static Map<String, @Nullable Object> agent = Map.of();

  @BeforeAll
  static void issue() {
    agent =
        CLIENT.issue(
            Map.of(
                "name",
                "A test",
                "description",
                "An agent of a test.",
                "capabilities",
                List.of(Map.of("id", "system.command.execute")),
                "limits",
                Map.of("system.command.execute", Map.of("allowed_commands", List.of("ls")))));
  }

  private static Action action(String command) {
    return Action.of(Json.text(agent, "agent_id"), POLICY, Map.of("command", command));
  }

  private static KeySet keys() {
    return Objects.requireNonNull(CLIENT.keys());
  }

  @Test
  void allowsAndDenies() {
    Decision allow = CLIENT.check(action("ls"));
    assertThat(allow.allow()).isTrue();
    assertThat(allow.verified()).isTrue();
    assertThat(Verification.verifyDecision(allow, keys())).isTrue();
    Decision deny = CLIENT.check(action("reboot “é” \uD83D\uDE00"));
    assertThat(deny.reason().code()).isEqualTo("oap.command_not_allowed");
    assertThat(deny.verified()).isTrue();
    var forged = new HashMap<>(deny.raw());
    forged.put("allow", true);
    assertThat(Verification.verifyDecision(Json.write(forged), keys())).isFalse();
  }

  @Test
  void guards() throws Exception {
    assertThat(CLIENT.guard(action("ls"), () -> 7)).isEqualTo(7);
    assertThatThrownBy(() ->
            CLIENT.guard(
                action("nmap"),
                () -> {
                  throw new AssertionError("it ran");
                }))
        .isInstanceOfSatisfying(
            ActionDeniedException.class,
            e -> {
              assertThat(e.code()).isEqualTo("oap.command_not_allowed");
              assertThat(e.decisionId()).isNotNull();
            });
    CheckOptions reserve = CheckOptions.none().withReserve();
    assertThat(CLIENT.guard(action("ls"), reserve, () -> 7)).isEqualTo(7);
    assertThatThrownBy(() ->
            CLIENT.guard(
                action("ls"),
                reserve,
                () -> {
                  throw new java.io.IOException("of the action");
                }))
        .hasMessage("of the action");
  }

  @Test
  void aContextHasOneDigestHereAndThere() {
    Map<String, Object> context = new HashMap<>();
    context.put("command", "ls");
    context.put("x", List.of(1.0, -0.0, 1e21, 1e-7, Double.MIN_VALUE, Long.MAX_VALUE, 0.1f));
    context.put("\uD83D\uDE00", Map.of("e\u0301", "\u2028\"\\\u0001", "ﬃ", 1));
    Decision decision = CLIENT.check(Action.of(Json.text(agent, "agent_id"), POLICY, context));
    assertThat(decision.raw().get("context_digest")).isEqualTo(Canonical.digest(context));
  }

  @Test
  void answersABatchInOrder() {
    assertThat(CLIENT.checkBatch(List.of(action("ls"), action("nmap"), action("ls"))))
        .extracting(Decision::allow)
        .containsExactly(true, false, true);
  }

  @Test
  void tokensAreGoodForTheirAction() {
    String token = Objects.requireNonNull(CLIENT.token(action("ls")));
    assertThat(
            Verification.verifyToken(token, keys(), Verification.TokenExpectation.of(action("ls"))))
        .isPresent();
    assertThat(
            Verification.verifyToken(
                token, keys(), Verification.TokenExpectation.of(action("nmap"))))
        .isEmpty();
  }

  @Test
  void receiptsShowTheDecisionInTheLog() {
    Decision decision = CLIENT.check(action("ls"));
    String place = "/api/audit/" + decision.decisionId();
    byte[] record = Json.write(CLIENT.request("GET", place, null));
    byte[] proof = Json.write(CLIENT.request("GET", place + "/proof", null));
    assertThat(Verification.verifyReceipt(record, proof, Json.write(decision.raw()), keys()))
        .isTrue();
  }

  @Test
  void errorsSayWhatIsWrong() {
    Decision unknown =
        CLIENT.check(Action.of(Json.text(agent, "agent_id"), "no.such.pack.v1", Map.of()));
    assertThat(unknown.allow()).isFalse();
    assertThat(unknown.status()).isEqualTo(404);
    assertThatThrownBy(() -> CLIENT.setStatus(Json.text(agent, "agent_id"), "asleep", null))
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.status()).isEqualTo(400));
  }

  @Test
  void aSuspensionEndsStoredAllows() throws Exception {
    try (Safeconduct client =
        Safeconduct.builder().timeout(Duration.ofSeconds(20)).cache().build()) {
      Map<String, @Nullable Object> own =
          client.issue(
              Map.of(
                  "name",
                  "A test",
                  "description",
                  "An agent of a test.",
                  "capabilities",
                  List.of(Map.of("id", "system.command.execute")),
                  "limits",
                  Map.of("system.command.execute", Map.of("allowed_commands", List.of("ls")))));
      String id = Json.text(own, "agent_id");
      Action action = Action.of(id, POLICY, Map.of("command", "ls"));
      for (int i = 0; i < 400 && !client.check(action).cached(); i++) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(client.check(action).cached()).isTrue();
      client.setStatus(id, "suspended", "a test");
      for (int i = 0; i < 400 && client.check(action).allow(); i++) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(client.check(action).allow()).isFalse();
    }
  }

  @Test
  void randomDecisionsVerifyAndChangedOnesDoNot() throws Exception {
    Path folder = Path.of(Objects.requireNonNull(System.getenv("SAFECONDUCT_RANDOM")));
    KeySet keys = KeySet.parse(Files.readAllBytes(folder.resolve("jwks.json")));
    for (String file : List.of("decisions.ndjson", "changed.ndjson")) {
      List<String> lines = Files.readAllLines(folder.resolve(file));
      assertThat(lines).isNotEmpty();
      assertThat(lines)
          .allMatch(line ->
              Verification.verifyDecision(Vectors.bytes(line), keys)
                  == file.equals("decisions.ndjson"));
    }
  }
}
