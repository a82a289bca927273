package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "{\"a\":1,}",
        "{\"a\":1}{}",
        "{\"a\":1} x",
        "{a:1}",
        "{'a':1}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":1e999}",
        "{\"a\":-1e999}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":0x10}",
        "{\"a\":1,\"a\":1}",
        "{\"x\":{\"a\":1,\"\\u0061\":2}}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\\ud800\"}",
        "{\"\\ud800\":1}",
        "{\"a\":\"\t\"}",
        "[1,]",
        "tru",
        "// comment\n{}",
      })
  void refusesWhatIsNotStrictJson(String text) {
    assertThatThrownBy(() -> Json.parse(text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonFault.class)
        .hasMessageNotContaining("jackson");
  }

  @Test
  void refusesInvalidUtf8() {
    byte[][] broken = {
      {'"', (byte) 0xff, '"'},
      {'"', (byte) 0xc0, (byte) 0xaf, '"'},
      {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'},
      {'"', (byte) 0xf8, (byte) 0x88, (byte) 0x80, (byte) 0x80, (byte) 0x80, '"'},
    };
    for (byte[] bytes : broken) {
      assertThatThrownBy(() -> Json.parse(bytes)).isInstanceOf(JsonFault.class);
    }
  }

  @Test
  void nestsTo32LevelsAndNoFurther() throws Exception {
    assertThat(Json.parse("[".repeat(32) + "]".repeat(32))).isInstanceOf(JsonArray.class);
    assertThatThrownBy(() -> Json.parse("[".repeat(33) + "]".repeat(33)))
        .isInstanceOf(JsonFault.class)
        .hasMessageContaining("32");
    assertThatThrownBy(() -> Json.parse("{\"a\":".repeat(100_000))).isInstanceOf(JsonFault.class);
  }

  @Test
  void saysWhereAMemberStandsTwice() {
    assertThatThrownBy(() -> Json.parse("{\"amount\":1,\n \"amount\":2}"))
        .hasMessageContaining("amount")
        .hasMessageContaining("line 2");
  }

  @Test
  void keepsOrderTextAndNumbers() throws Exception {
    String text = "{\"b\":1,\"a\":[true,null,\"\ud83d\ude00\\n\",{\"c\":-0.5}]}";
    assertThat(Json.text(Json.parse(text))).isEqualTo(text);
  }

  @Test
  void randomBytesEndInAValueOrAFault() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
    byte[] alphabet =
        "{}[]\",:0123456789.eE+-truefalsn\\u d8\u00ff".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] =
            random.nextInt(20) == 0
                ? (byte) random.nextInt(256)
                : alphabet[random.nextInt(alphabet.length)];
      }
      try {
        CanonicalJson.bytes(Json.parse(bytes));
      } catch (JsonFault e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }
}
