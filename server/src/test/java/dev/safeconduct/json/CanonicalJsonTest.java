package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.erdtman.jcs.JsonCanonicalizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our RFC 8785 writer against the scheme's reference implementation in Java. */
final class CanonicalJsonTest {
  private static final int DOCUMENTS = 20_000;

  @Test
  void agreesWithTheReferenceOnRandomDocuments() throws Exception {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(20261121);
    for (int i = 0; i < DOCUMENTS; i++) {
      JsonObject document = RandomJson.object(random, 4);
      assertThat(canonical(document)).as(Json.text(document)).isEqualTo(reference(document));
    }
  }

  @Test
  void agreesWithTheReferenceOnRandomNumbers() throws Exception {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(8785);
    for (int i = 0; i < 200_000; i++) {
      double value = Double.longBitsToDouble(random.nextLong());
      if (Double.isFinite(value)) {
        JsonArray one = JsonArray.of(new JsonNumber(value));
        assertThat(canonical(one))
            .as("%s", value)
            .isEqualTo("[" + org.erdtman.jcs.NumberToJSON.serializeNumber(value) + "]");
      }
    }
  }

  @Test
  void readingItsOwnOutputChangesNothing() throws Exception {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    for (int i = 0; i < 2_000; i++) {
      byte[] once = CanonicalJson.bytes(RandomJson.object(random, 4));
      assertThat(CanonicalJson.bytes(Json.parse(once))).isEqualTo(once);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0",
        "-0.0 | 0",
        "30.0 | 30",
        "1e21 | 1e+21",
        "123456789012345680000 | 123456789012345680000",
        "1e-7 | 1e-7",
        "0.000001 | 0.000001",
        "4.50 | 4.5",
        "9007199254740993 | 9007199254740992",
        "1e300 | 1e+300",
        "5e-324 | 5e-324",
        "333333333.33333329 | 333333333.3333333",
        "-1.5 | -1.5",
      })
  void numbersAreWrittenAsEcmaScriptDoes(String given, String written) throws Exception {
    assertThat(Json.text(Json.parse(given.strip()))).isEqualTo(written.strip());
  }

  /** Documents that are written alike are equal. */
  @Test
  void aNegativeZeroIsZero() throws Exception {
    assertThat(Json.parse("{\"a\":[-0.0,-0]}")).isEqualTo(Json.parse("{\"a\":[0,0.0]}"));
  }

  @Test
  void membersAreSortedByUtf16CodeUnits() throws Exception {
    JsonValue value =
        Json.parse("{\"\\ufb33\":1,\"\\ud83d\\ude00\":2,\"a\":3,\"\\u20ac\":4,\"1\":5}");
    assertThat(canonical(value))
        .isEqualTo("{\"1\":5,\"a\":3,\"\u20ac\":4,\"\ud83d\ude00\":2,\"\ufb33\":1}");
  }

  @Test
  void onlyWhatMustBeEscapedIs() throws Exception {
    assertThat(canonical(Json.parse("\"\\u0000\\b\\t\\n\\f\\r\\u001f\\u007f\\u2028\\/\\\"\\\\\"")))
        .isEqualTo("\"\\u0000\\b\\t\\n\\f\\r\\u001f\u007f\u2028/\\\"\\\\\"");
  }

  private static String canonical(JsonValue value) {
    return new String(CanonicalJson.bytes(value), StandardCharsets.UTF_8);
  }

  private static String reference(JsonValue value) throws IOException {
    return new JsonCanonicalizer(Json.text(value)).getEncodedString();
  }
}
