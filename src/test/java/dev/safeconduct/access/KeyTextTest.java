package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class KeyTextTest {
  @Property
  void aKeyThatWasMadeIsWellFormed(@ForAll long seed) {
    String key = KeyText.make(new Random(seed));

    assertThat(key).matches("sck_[0-9A-Za-z]{49}");
    assertThat(KeyText.isWellFormed(key)).isTrue();
    assertThat(KeyText.hint(key)).hasSize(8);
  }

  @Property
  void aChangedCharacterIsNoticed(
      @ForAll long seed, @ForAll @IntRange(max = 52) int at, @ForAll char other) {
    String key = KeyText.make(new Random(seed));
    String changed = key.substring(0, at) + other + key.substring(at + 1);

    assertThat(KeyText.isWellFormed(changed)).isEqualTo(changed.equals(key));
  }

  @Property
  void anyOtherTextIsNotAKey(@ForAll String text) {
    assertThat(KeyText.isWellFormed(text)).isFalse();
    assertThat(KeyText.isWellFormed("sck_" + text)).isFalse();
  }
}
