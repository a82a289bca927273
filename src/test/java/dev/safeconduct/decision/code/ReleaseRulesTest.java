package dev.safeconduct.decision.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Versions against the regular expression of the catalogue, and files of hostile length. */
final class ReleaseRulesTest {
  private static final Pattern VERSION =
      Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+(-[a-zA-Z0-9.-]+)?(\\+[a-zA-Z0-9.-]+)?");

  @Property
  void versionsAreThoseOfTheExpression(
      @ForAll @Chars({'1', '.', '-', '+', 'a', '\n'}) @StringLength(max = 12) String text) {
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
    assertThat(verdict("a/".repeat(3_000_000) + "b.jar")).isEqualTo(Verdict.pass());
    assertThat(ReleaseRules.isVersion("1".repeat(5_000_000) + ".1.")).isFalse();
  }

  private static Verdict verdict(String file) {
    return ReleaseFiles.check(
        new Facts(
            JsonObject.EMPTY,
            JsonObject.builder().put("files", JsonArray.of(new JsonString(file))).build(),
            new Limits(
                JsonObject.builder()
                    .put("allowed_extensions", JsonArray.of(new JsonString("jar")))
                    .build()),
            List.of()));
  }
}
