package dev.safeconduct.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

final class AgentIdTest {
  private static final Pattern HOSTED = Pattern.compile("[A-Za-z0-9_-]{1,128}");

  @Property
  void takesLettersDigitsUnderscoreAndDash(
      @ForAll @CharRange(from = '!', to = '~') @StringLength(max = 130) String text) {
    assertThat(AgentId.hosted(text).isPresent()).isEqualTo(HOSTED.matcher(text).matches());
  }

  @Property
  void foldsEveryUuid(@ForAll long high, @ForAll long low) {
    String uuid = new UUID(high, low).toString();
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
