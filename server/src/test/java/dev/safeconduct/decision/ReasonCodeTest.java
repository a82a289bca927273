package dev.safeconduct.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The catalogue of reason codes is what the packs deny with. */
final class ReasonCodeTest {
  @Test
  void everyCodeHasItsSpellingAndAMessage() {
    assertThat(ReasonCode.PASSPORT_SUSPENDED.wire()).isEqualTo("oap.passport_suspended");
    for (ReasonCode code : ReasonCode.values()) {
      assertThat(code.wire()).matches("oap\\.[a-z][a-z0-9_]*");
      assertThat(ReasonCode.parse(code.wire())).contains(code);
      assertThat(code.message()).isNotBlank().doesNotEndWith(".");
    }
    assertThat(Arrays.stream(ReasonCode.values()).map(ReasonCode::wire)).doesNotHaveDuplicates();
    assertThat(ReasonCode.parse("oap.of_ones_own")).isEmpty();
  }

  @Test
  void noPolicyDeniesWithTheCodesOfOtherCauses() {
    assertThat(ReasonCode.denyCodes())
        .doesNotContain(
            "oap.allowed",
            "oap.observed",
            "oap.policy_error",
            "oap.invalid_token",
            "oap.organization_halted")
        .hasSize(ReasonCode.values().length - 5);
    assertThat(ReasonCode.isInCatalogue("oap.allowed")).isTrue();
    assertThat(ReasonCode.isInCatalogue("oap.policy_error")).isFalse();
  }

  @Test
  void everyPackDeniesWithCodesOfTheCatalogue() throws Exception {
    var used = new TreeSet<String>();
    try (Stream<Path> folders = Files.list(Path.of("policies"))) {
      for (Path pack : folders.map(folder -> folder.resolve("policy.json")).toList()) {
        if (Files.exists(pack)) {
          JsonObject document = Json.parseObject(Files.readAllBytes(pack));
          for (JsonValue rule : document.array("evaluation_rules").orElse(JsonArray.EMPTY)) {
            ((JsonObject) rule).string("deny_code").ifPresent(used::add);
          }
        }
      }
    }
    assertThat(used).isNotEmpty();
    assertThat(ReasonCode.denyCodes()).containsAll(List.copyOf(used));
  }
}
