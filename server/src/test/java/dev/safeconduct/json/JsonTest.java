package dev.safeconduct.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"})
  void refusesOtherEncodings(String encoding) {
    byte[] text = "{\"a\":1}".getBytes(Charset.forName(encoding));
    assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(JsonFault.class);
  }

  /** Longer texts are decoded piece by piece. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4094, 4095, 4096, 4097, 9000})
  void readsTextsOfAnyLengthBehindAByteOrderMark(int length) throws Exception {
    String text = "{\"a\":\"" + "\u00fc".repeat(length) + "\ud83d\ude00\"}";
    for (String sent : List.of(text, "\ufeff" + text)) {
      assertThat(Json.text(Json.parse(sent))).isEqualTo(text);
      byte[] cut = sent.getBytes(StandardCharsets.UTF_8);
      cut[cut.length - 3] = '"'; // the last byte of the last character
      assertThatThrownBy(() -> Json.parse(cut)).hasMessage("The body is not valid UTF-8.");
    }
  }

  @Test
  void keepsANumberNoDoubleHoldsAsItWasWritten() throws Exception {
    String text = "{\"a\":1e999,\"b\":[1,{\"c\":-1E+400}],\"d\":" + "9".repeat(400) + "}";
    JsonObject read = Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
    assertThat(read.get("a")).isEqualTo(new JsonOverflow("1e999"));
    assertThat(Json.text(read)).isEqualTo(text);
    assertThat(new String(CanonicalJson.bytes(read), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"a\":\"1e999\",\"b\":[1,{\"c\":\"-1E+400\"}],\"d\":\"" + "9".repeat(400) + "\"}");
    assertThat(JsonOverflow.place(read)).contains("a");
    assertThat(JsonOverflow.place(read.without("a"))).contains("b[1].c");
    assertThat(JsonOverflow.place(read.without("a").without("b").without("d"))).isEmpty();
    assertThat(Json.parse("1e-999")).isEqualTo(new JsonNumber(0));
  }

  /** A double holds 15 digits of any number, and some numbers of more. */
  @ParameterizedTest
  @CsvSource({
    "0, false",
    "-0.000e9, false",
    "0.1, false",
    "1.50, false",
    "1000000000000000000000, false",
    "1.7976931348623157e308, false",
    "0.30000000000000004, false",
    "9007199254740991, false",
    "9007199254740993, true",
    "0.1000000000000000055511151231257827, true",
    "1.00000000000000001, true",
    "1e-400, true",
    "1e-99999999999, true"
  })
  void knowsWhichNumbersAreRounded(String text, boolean rounded) throws Exception {
    assertThat(Json.parse(text)).isInstanceOf(JsonNumber.class);
    assertThat(((JsonNumber) Json.parse(text)).rounded()).isEqualTo(rounded);
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
  void takesFiftyThousandMembersAndAMillionElements() throws Exception {
    String half = members(Json.MAX_MEMBERS / 2 - 1);
    assertThat(Json.parse("{\"a\":{" + half + "},\"b\":[{" + half + "}]}")).isNotNull();
    assertThatThrownBy(() -> Json.parse("{\"a\":{" + half + "},\"b\":[{" + half + ",\"x\":1}]}"))
        .isInstanceOf(JsonFault.class)
        .hasMessage("The JSON has more than 50000 members in its objects; send less at once.");

    String million = "[[" + "1,".repeat(Json.MAX_ELEMENTS - 2);
    assertThat(Json.parse(million + "1]]")).isNotNull();
    assertThatThrownBy(() -> Json.parse(million + "1,1]]"))
        .isInstanceOf(JsonFault.class)
        .hasMessage("The JSON has more than 1000000 elements in its arrays; send less at once.");
  }

  private static String members(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"m" + i + "\":0")
        .collect(Collectors.joining(","));
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
  void writesNumbersIdsAndSignaturesInPlaceAsTheirOwnTexts() {
    var random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      long number = random.nextLong() >> random.nextInt(64);
      var id = new UUID(random.nextLong(), random.nextLong());
      byte[] signature = new byte[random.nextInt(70)];
      random.nextBytes(signature);
      JsonWriter json = JsonWriter.inOrder().openArray();
      json.element().number(number).element().number(i == 0 ? Long.MIN_VALUE : -number);
      byte[] written =
          json.element().uuid(id).element().base64("ed25519:", signature).closeArray().bytes();
      assertThat(new String(written, StandardCharsets.UTF_8))
          .isEqualTo(
              "[%d,%d,\"%s\",\"ed25519:%s\"]",
              number,
              i == 0 ? Long.MIN_VALUE : -number,
              id,
              Base64.getEncoder().encodeToString(signature));
    }
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

  /** Small or large, with names that hash alike, an object is what an ordered map is. */
  @Test
  void anObjectIsAnOrderedMapOfItsMembers() {
    var random = new Random(5);
    for (int round = 0; round < 500; round++) {
      var map = new LinkedHashMap<String, JsonValue>();
      JsonObject.Builder builder = JsonObject.builder();
      for (int i = random.nextInt(40); i > 0; i--) {
        String name = List.of("Aa", "BB", "C#").get(random.nextInt(3)) + random.nextInt(12);
        JsonValue value = new JsonNumber(random.nextInt());
        map.put(name, value);
        builder.put(name, value);
      }
      JsonObject object = builder.build();
      JsonObject before = object.toBuilder().build();
      builder.put("later", JsonNull.NULL); // must not show in what was built
      assertThat(object).isEqualTo(before).hasSameHashCodeAs(before);
      assertThat(new ArrayList<>(object.names())).isEqualTo(new ArrayList<>(map.keySet()));
      var seen = new ArrayList<JsonValue>();
      object.forEach((name, value) -> seen.add(value));
      assertThat(seen).isEqualTo(new ArrayList<>(map.values()));
      assertThat(object.size()).isEqualTo(map.size());
      for (String name : List.of("Aa1", "BB7", "later", "C#11")) {
        assertThat(object.get(name)).isEqualTo(map.get(name));
        assertThat(object.names().contains(name)).isEqualTo(map.containsKey(name));
        JsonObject without = object.without(name);
        assertThat(without.has(name)).isFalse();
        assertThat(without.equals(object)).isEqualTo(!map.containsKey(name));
      }
      var shuffled = new ArrayList<>(map.keySet());
      Collections.shuffle(shuffled, random);
      JsonObject.Builder other = JsonObject.builder();
      shuffled.forEach(name -> other.put(name, Objects.requireNonNull(map.get(name))));
      assertThat(other.build()).isEqualTo(object).hasSameHashCodeAs(object);
    }
  }

  /** Texts are looked through eight bytes at a time; wherever it stands, nothing is missed. */
  @Test
  void everyCharacterIsWrittenRightAtEveryPlace() throws Exception {
    for (int length = 1; length <= 18; length++) {
      for (int place = 0; place < length; place++) {
        for (char c = 0; c < 0x250; c++) {
          String text = "?".repeat(place) + c + "y".repeat(length - 1 - place);
          String written = Json.text(new JsonString(text));
          assertThat(Json.parse(written)).isEqualTo(new JsonString(text));
          if (c >= ' ' && c != '"' && c != '\\') {
            assertThat(written).isEqualTo('"' + text + '"');
          }
        }
        var lone = new JsonString("x".repeat(place) + '\ud800' + "y".repeat(length - 1 - place));
        assertThatThrownBy(() -> Json.text(lone)).isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  /** What one caller names its members does not matter to the next one. */
  @Test
  void namesThatCollideDoNotSpoilLaterDocuments() throws Exception {
    for (int round = 0; round < 12; round++) {
      JsonObject.Builder colliding = JsonObject.builder().put("round_" + round, true);
      for (int bits = 0; bits < 1 << 12; bits++) {
        if (Integer.bitCount(bits) == 6) {
          // Hashes that add up four bytes at a time do not tell the order of these.
          int order = bits;
          String name =
              IntStream.range(0, 12)
                  .mapToObj(bit -> (order >> bit & 1) == 0 ? "aaaa" : "bbbb")
                  .collect(Collectors.joining("", "a_name_that_", ""));
          colliding.put(name, true);
        }
      }
      boolean accepted = isAccepted(Json.bytes(colliding.build()));
      JsonObject.Builder ordinary = JsonObject.builder();
      for (int i = 0; i < 300; i++) {
        ordinary.put("an_ordinary_name_" + round + "_" + i, true);
      }
      assertThat(Json.parseObject(Json.bytes(ordinary.build()))).isEqualTo(ordinary.build());
      assertThat(accepted).isTrue();
    }
  }

  private static boolean isAccepted(byte[] document) {
    try {
      Json.parse(document);
      return true;
    } catch (JsonFault e) {
      return false;
    }
  }
}
