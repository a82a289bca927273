package dev.safeconduct.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** YAML is read as JSON with bounds, and what is written is read as the same. */
final class YamlDocumentsTest {
  private static String read(String text) throws JsonFault {
    var all = new StringBuilder();
    for (YamlDocuments.Document each : YamlDocuments.read(text)) {
      all.append(each.line()).append(' ').append(Json.text(each.value())).append('\n');
    }
    return all.toString();
  }

  @Test
  void documentsHaveTheirLinesAndTypes() throws JsonFault {
    assertThat(read("a: 1\nb: [yes, true, ~, 1.5, 0x10, '1']\n---\nc: 2026-01-31\n"))
        .isEqualTo(
            """
            1 {"a":1,"b":["yes",true,null,1.5,16,"1"]}
            3 {"c":"2026-01-31"}
            """);
  }

  @Test
  void aliasesThatMultiplyAreRefused() {
    var text = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 25; i++) {
      text.append("a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1));
    }
    assertThatThrownBy(() -> read(text.toString())).isInstanceOf(JsonFault.class);
  }

  @Test
  void theBoundIsThatOfAllDocumentsTogether() {
    String document =
        "---\na: &a [" + "x, ".repeat(1_000) + "x]\nb: [" + "*a, ".repeat(29) + "*a]\n";
    assertThatThrownBy(() -> read(document.repeat(2)))
        .isInstanceOf(JsonFault.class)
        .hasMessageContaining("50,000 values");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a: &a [*a]",
        "{1: x}",
        "a: .nan",
        "a: !!java.io.File [x]",
        "a: 1\na: 2",
        "a: \"secret-of-mine",
        "a: {b: secret-of-mine: c}"
      })
  void whatIsNoJsonIsRefusedWithoutItsText(String text) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(JsonFault.class)
        .hasMessageNotContaining("secret-of-mine");
  }

  @Test
  void nestingIsBoundedBeforeAnythingIsBuilt() {
    for (int depth : new int[] {33, 100_000}) {
      String text = "[".repeat(depth) + "]".repeat(depth);
      assertThatThrownBy(() -> read(text)).isInstanceOf(JsonFault.class).hasMessageContaining("32");
    }
  }

  @Test
  void whatIsWrittenIsReadAsTheSame() throws JsonFault {
    JsonObject value =
        Json.parseObject(
            """
            {"yes": "yes", "no": "0600", "n": null, "e": "1e3", "t": "true", "": "~", "l": " a\\nb ",
             "u": "\\u0000\\u2028\\ud83d\\ude00", "#": "# x: y", "o": {"a": [], "b": {}, "c": [[1]]},
             "i": 9007199254740991, "f": 0.1, "m": "a: b", "d": "---", "x": "- a", "q": "'\\""}
            """
                .getBytes(StandardCharsets.UTF_8));
    assertThat(YamlDocuments.read(YamlDocuments.text(value)).getFirst().value()).isEqualTo(value);
  }
}
