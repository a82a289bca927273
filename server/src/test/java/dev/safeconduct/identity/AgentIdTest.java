package dev.safeconduct.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

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
}
