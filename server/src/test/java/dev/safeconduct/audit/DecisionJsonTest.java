package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is signed is the canonical form, and reads back as what it was. */
final class DecisionJsonTest {
  private static Decision decision(boolean allow, Optional<String> rule) {
    return decision(allow, rule, Optional.empty());
  }

  private static Decision decision(
      boolean allow, Optional<String> rule, Optional<Decision.Reason> observed) {
    return new Decision(
        new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_0001L),
        new OrgId("org_1"),
        new Decision.Agent(
            "ap_1", "pp \"1\"\n\u2028é😀", "L2", "sha256:aa", Decision.Source.REGISTRY),
        new Decision.Policy("acme.v1", "sha256:bb", Decision.Source.REQUEST),
        "sha256:cc",
        new Decision.Result(
            allow, new Decision.Reason("oap.limit_exceeded", "Too much: 5 > 4.", rule), observed),
        new Decision.Validity(Instant.parse("2026-11-21T12:00:00.123Z"), 30, false),
        "key-1");
  }

  @Test
  void hasTheSignedFormToTheByte() {
    assertThat(
            new String(
                DecisionJson.canonical(decision(true, Optional.empty())), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"agent_id\":\"ap_1\",\"allow\":true,\"assurance_level\":\"L2\",\"context_digest\":"
                + "\"sha256:cc\",\"created_at\":\"2026-11-21T12:00:00Z\",\"decision_id\":"
                + "\"01900000-0000-7000-8000-000000000001\",\"dry_run\":false,\"expires_at\":"
                + "\"2026-11-21T12:00:30Z\",\"expires_in\":30,\"issued_at\":"
                + "\"2026-11-21T12:00:00.123Z\",\"kid\":\"key-1\",\"owner_id\":\"org_1\","
                + "\"passport_digest\":\"sha256:aa\",\"passport_id\":\"pp \\\"1\\\"\\n\u2028é😀\","
                + "\"passport_source\":\"registry\",\"policy_digest\":\"sha256:bb\",\"policy_id\":"
                + "\"acme.v1\",\"policy_source\":\"request\",\"reasons\":[{\"code\":"
                + "\"oap.limit_exceeded\",\"message\":\"Too much: 5 > 4.\",\"severity\":\"info\"}]}");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isCanonicalAndReadsBack(boolean allow) throws Exception {
    for (Optional<String> rule : List.of(Optional.<String>empty(), Optional.of("cap"))) {
      Decision decision = decision(allow, rule);
      byte[] canonical = DecisionJson.canonical(decision);
      assertThat(CanonicalJson.bytes(Json.parseObject(canonical))).isEqualTo(canonical);
      assertThat(DecisionJson.read(canonical)).contains(decision);
    }
  }

  @Test
  void tellsWhatObserveModeAllows() throws Exception {
    var why = new Decision.Reason("oap.path_not_allowed", "Elsewhere.", Optional.of("paths"));
    Decision decision = decision(true, Optional.empty(), Optional.of(why));
    byte[] canonical = DecisionJson.canonical(decision);
    assertThat(CanonicalJson.bytes(Json.parseObject(canonical))).isEqualTo(canonical);
    assertThat(DecisionJson.read(canonical)).contains(decision);
    assertThat(new String(canonical, StandardCharsets.UTF_8))
        .contains(
            "\"mode\":\"observe\",\"observed\":{\"allow\":false,\"reasons\":[{\"code\":"
                + "\"oap.path_not_allowed\",\"message\":\"Elsewhere.\",\"rule\":\"paths\","
                + "\"severity\":\"error\"}]},\"owner_id\"");
    assertThat(decision.allowedByPolicy()).isFalse();
    assertThat(decision.policyReason()).isEqualTo(why);
  }

  @Test
  void whatIsNotADecisionIsNotRead() {
    assertThat(DecisionJson.read(JsonObject.EMPTY)).isEmpty();
    assertThat(DecisionJson.read(new byte[0])).isEmpty();
    assertThat(DecisionJson.signature("rsa:AAAA")).isEmpty();
    assertThat(DecisionJson.signature("ed25519:?")).isEmpty();
    assertThat(DecisionJson.signature(DecisionJson.signature(new byte[] {1, 2}))).isPresent();
  }
}
