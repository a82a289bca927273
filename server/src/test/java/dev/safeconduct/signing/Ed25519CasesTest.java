package dev.safeconduct.signing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.CaseFile;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The 151 cases of project Wycheproof for verifying Ed25519: truncated and extended signatures,
 * values at the edges of the group, encodings that are not canonical, and the malleable ones of RFC
 * 8032 section 8.4.
 */
class Ed25519CasesTest {
  private static final HexFormat HEX = HexFormat.of();

  private static Stream<Ed25519> implementations() {
    return SigningTest.implementations().stream();
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void acceptsWhatIsValidAndNothingElse(Ed25519 implementation) {
    List<String> cases = CaseFile.text("signing/ed25519.csv").lines().skip(1).toList();
    assertThat(cases).hasSize(151);
    for (String line : cases) {
      String[] part = line.split(",", -1);
      boolean verified =
          implementation.verify(
              HEX.parseHex(part[1]), HEX.parseHex(part[2]), HEX.parseHex(part[3]));
      assertThat(verified)
          .as("case %s by %s", part[0], implementation.providerName())
          .isEqualTo(Boolean.parseBoolean(part[4]));
    }
  }
}
