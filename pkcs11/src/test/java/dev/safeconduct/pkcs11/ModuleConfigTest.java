package dev.safeconduct.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.signing.ModuleFault;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The provider's configuration names the same slot to us; public keys are read in both forms. */
final class ModuleConfigTest {
  private static final String POINT =
      "d3165bc7aeab798fd2a2a2b7c7ef200213e906bb1efc51034ddc8069e6865aab";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "library = /m.so|700",
        "library=/m.so; slot = 5|5",
        "library = \"/m.so\" # ours; slot = 0x2A|42",
        "# library = /other.so; library = /m.so; slotListIndex = 1|800",
        "name = m; library = /m.so; attributes = compatibility; slotListIndex = 0|700"
      })
  void theSlotIsTheProviders(String lines, long slot) throws Exception {
    ModuleConfig config = ModuleConfig.parse(List.of(lines.split("; ", -1)));
    assertThat(config.library()).hasToString("/m.so");
    assertThat(config.choose(List.of(700L, 800L))).isEqualTo(slot);
  }

  @Test
  void aSlotThatIsNotThereIsAFault() {
    ModuleConfig config = ModuleConfig.parse(List.of("library = /m.so", "slotListIndex = 2"));
    assertThatThrownBy(() -> config.choose(List.of(700L, 800L)))
        .isInstanceOf(ModuleFault.class)
        .hasMessageContaining("2 slots");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"name = m", "library = ${java.home}/m.so", "library = /m.so; slot = first"})
  void whatCannotBeReadIsAFault(String lines) {
    assertThatThrownBy(() -> ModuleConfig.parse(List.of(lines.split("; ", -1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {POINT, "0420" + POINT})
  void aPublicKeyIsBareOrWrapped(String point) throws Exception {
    assertThat(SecurityModule.point(HexFormat.of().parseHex(point)))
        .isEqualTo(HexFormat.of().parseHex(POINT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0320" + POINT, "04" + POINT, "0421" + POINT + "00"})
  void anyOtherPublicKeyIsRefused(String point) {
    assertThatThrownBy(() -> SecurityModule.point(HexFormat.of().parseHex(point)))
        .isInstanceOf(ModuleFault.class);
  }
}
