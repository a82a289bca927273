package dev.safeconduct.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AgentIdTest {
  private static final Pattern HOSTED = Pattern.compile("[A-Za-z0-9_-]{1,128}");

  @RandomTest
  void takesLettersDigitsUnderscoreAndDash(RandomCase random) {
    String text = random.nextBoolean() ? random.text(130, '!', '~') : random.text(130, "aZ09_-");
    assertThat(AgentId.hosted(text).isPresent()).isEqualTo(HOSTED.matcher(text).matches());
  }

  @RandomTest
  void foldsEveryUuid(RandomCase random) {
    String uuid = new UUID(random.anyLong(), random.anyLong()).toString();
    Optional<AgentId> folded = Optional.of(new AgentId("ap_" + uuid.replace("-", "")));
    assertThat(AgentId.hosted(uuid)).isEqualTo(folded);
    assertThat(AgentId.hosted(uuid.toUpperCase(java.util.Locale.ROOT))).isEqualTo(folded);
  }

  @Test
  void leavesWhatOnlyLooksLikeOne() {
    String almost = "0123456g-0123-0123-0123-0123456789ab";
    assertThat(AgentId.hosted(almost)).isEqualTo(Optional.of(new AgentId(almost)));
    assertThat(AgentId.hosted("")).isEmpty();
    assertThat(AgentId.hosted("ap_é")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79",
        "AP_0B7F0C3E5D7A4D3C9C1F2E3D4C5B6A79",
        "0b7f0c3e-5d7a-4d3c-9c1f-2e3d4c5b6a79",
        "ap-0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79",
        "urn:uuid:0b7f0c3e-5d7a-4d3c-9c1f-2e3d4c5b6a79",
        "{0B7F0C3E-5D7A-4D3C-9C1F-2E3D4C5B6A79}",
        "\"0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79\"",
        "'0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79'",
        "\u201c0b7f0c3e-5d7a-4d3c-9c1f-2e3d4c5b6a79\u201d",
        "\u201e0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79\u201c",
        "\u2018ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79\u2019",
        "\u00ab0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79\u00bb",
        "`0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79`",
        " ap_0b7f0c3e 5d7a4d3c9c1f2e3d4c5b6a79\n",
        "ap_\u200b0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79",
        "\uff41p_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79",
        "ap_0b7f0c3e_5d7a4d3c_9c1f2e3d_4c5b6a79"
      })
  void everySpellingOfAUuidFoldsToOne(String text) {
    assertThat(AgentId.fold(text)).isEqualTo("ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79");
  }

  @Test
  void otherTextsFoldToWhatTheyShow() {
    assertThat(AgentId.fold(" Night-\u034fCrawler_7 ")).isEqualTo("night-crawler_7");
    assertThat(AgentId.fold("urn:Night")).isEqualTo("urn:night");
    assertThat(AgentId.fold("\u2060")).isEmpty();
    assertThat(AgentId.fold("(")).isEqualTo("(");
  }

  @Test
  void twoSpellingsArePlain() {
    assertThat(AgentId.isPlain("ap_0B7f0c3e5d7a4d3c9c1f2e3d4c5b6a79")).isTrue();
    assertThat(AgentId.isPlain("0b7f0c3e-5d7a-4d3c-9c1f-2e3d4c5b6A79")).isTrue();
    assertThat(AgentId.isPlain("Ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79")).isFalse();
    assertThat(AgentId.isPlain("0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a79")).isFalse();
    assertThat(AgentId.isPlain("ap_0b7f0c3e5d7a4d3c9c1f2e3d4c5b6a7g")).isFalse();
  }
}
