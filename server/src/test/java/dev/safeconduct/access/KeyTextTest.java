package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.identity.Cell;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;

class KeyTextTest {
  @RandomTest
  void aKeyThatWasMadeIsWellFormed(RandomCase random) {
    String key = KeyText.make(Cell.NONE, random);

    assertThat(key).matches("sck_[0-9A-Za-z]{49}");
    assertThat(KeyText.isWellFormed(key)).isTrue();
    assertThat(KeyText.hint(key)).hasSize(8);
  }

  @RandomTest
  void theKeyOfACellNamesIt(RandomCase random) {
    String key = KeyText.make(new Cell("eu1"), random);

    assertThat(key).matches("sck_eu1_[0-9A-Za-z]{49}");
    assertThat(KeyText.isWellFormed(key)).isTrue();
    assertThat(KeyText.cell(key)).isEqualTo(new Cell("eu1"));
    assertThat(KeyText.hint(key)).hasSize(12).isEqualTo(key.substring(0, 12));
    assertThat(KeyText.isWellFormed(key.replace("eu1", "eu2"))).isFalse();
    assertThat(KeyText.isWellFormed(key.replace("eu1_", ""))).isFalse();
    assertThat(KeyText.isWellFormed(key.replace("eu1", "EU1"))).isFalse();
  }

  @RandomTest
  void aChangedCharacterIsNoticed(RandomCase random) {
    String key = KeyText.make(Cell.NONE, random);
    int at = random.between(0, 52);
    String changed = key.substring(0, at) + random.anyChar() + key.substring(at + 1);

    assertThat(KeyText.isWellFormed(changed)).isEqualTo(changed.equals(key));
  }

  @RandomTest
  void anyOtherTextIsNotAKey(RandomCase random) {
    String text = random.anyText();
    assertThat(KeyText.isWellFormed(text)).isFalse();
    assertThat(KeyText.isWellFormed("sck_" + text)).isFalse();
  }
}
