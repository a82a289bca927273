package dev.safeconduct.decision.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Versions against the regular expression of the catalogue, and files of hostile length. */
final class ReleaseRulesTest {
  private static final Pattern VERSION =
      Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+(-[a-zA-Z0-9.-]+)?(\\+[a-zA-Z0-9.-]+)?");

  @RandomTest
  void versionsAreThoseOfTheExpression(RandomCase random) {
    String text = random.text(12, "1.-+a\n");
    assertThat(ReleaseRules.isVersion(text)).isEqualTo(VERSION.matcher(text).matches());
    String version = "1.0.1" + text;
    assertThat(ReleaseRules.isVersion(version)).isEqualTo(VERSION.matcher(version).matches());
  }

  @Test
  void longNamesTakeNoTime() {
    for (String file :
        List.of(
            "a/".repeat(3_000_000) + "b.jar",
            "%25".repeat(2_000_000) + ".jar",
            "../".repeat(2_000_000),
            ".".repeat(5_000_000))) {
      assertThat(verdict(file)).isNotNull();
    }
    assertThat(verdict("a/".repeat(3_000_000) + "b.jar")).isEqualTo(RuleResult.pass());
    assertThat(ReleaseRules.isVersion("1".repeat(5_000_000) + ".1.")).isFalse();
  }

  @Test
  void theMessageNamesTheListThatThePassportHas() {
    for (String limit : List.of("allowed_extensions", "allowed_file_extensions")) {
      assertThat(verdict("a.exe", limit))
          .isEqualTo(RuleResult.fail("The file \"a.exe\" is not of a kind in " + limit + "."));
    }
  }

  private static RuleResult verdict(String file) {
    return verdict(file, "allowed_extensions");
  }

  private static RuleResult verdict(String file, String limit) {
    return ReleaseRules.ReleaseFiles.check(
        new Facts(
            Capabilities.NONE,
            JsonObject.builder().put("files", JsonArray.of(new JsonString(file))).build(),
            new Limits(
                JsonObject.builder().put(limit, JsonArray.of(new JsonString("jar"))).build()),
            List.of()));
  }
}
