package dev.safeconduct.decision.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hundreds of thousands of characters take a moment, not minutes: a quadratic step would show. */
class HostileSizesTest {
  private static final int TIMES = 100_000;

  @Tag("timing")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a/..",
        "../",
        "%2e",
        "%2f",
        "%",
        "a.",
        "@",
        ":",
        "::",
        "[",
        "0",
        "0x",
        ".",
        "?",
        "#",
        "*",
        "é",
        "-----BEGI",
        "AKIA",
        "ghp_a",
        "sk-",
        " ",
        "bearer "
      })
  void anyTextIsReadInLinearTime(String piece) {
    String text = piece.repeat(TIMES);
    List<String> texts = List.of(text, "https://" + text, "https://a.example/" + text, "a" + text);

    List<List<RuleResult>> all =
        WallClock.within(
            Duration.ofSeconds(20), () -> texts.stream().map(HostileSizesTest::verdicts).toList());
    assertThat(all).allSatisfy(verdicts -> assertThat(verdicts).hasSize(4).doesNotContainNull());
  }

  private static List<RuleResult> verdicts(String text) {
    JsonObject limits =
        JsonObject.builder()
            .put("allowed_servers", JsonArray.ofStrings(List.of(text + "x")))
            .put("allowed_domains", JsonArray.ofStrings(List.of(text)))
            .put("blocked_domains", JsonArray.ofStrings(List.of(text)))
            .build();
    JsonObject headers = JsonObject.builder().put("X-A", text).build();
    JsonObject context =
        JsonObject.builder()
            .put("server", text)
            .put("url", "https://a.example/" + text.substring(text.length() / 2))
            .put("headers", headers)
            .build();
    return List.of(
        ValidatorCalls.call("validateMCPServerAllowlist", limits, context),
        ValidatorCalls.call("validateDomainAllowlist", limits, context),
        ValidatorCalls.call("validateWebFetchBlockedDomains", limits, context),
        ValidatorCalls.call("validateWebFetchHeaders", limits, context));
  }
}
