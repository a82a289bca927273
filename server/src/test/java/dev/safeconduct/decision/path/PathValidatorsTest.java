package dev.safeconduct.decision.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Given;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class PathValidatorsTest {
  @ParameterizedTest
  @CsvFileSource(resources = "/cases/path/validators.csv", delimiter = '|', numLinesToSkip = 1)
  void judges(String name, String limits, String context, boolean passes) {
    Validator validator = Objects.requireNonNull(PathValidators.all().get(name));
    assertThat(Given.passes(validator, context, limits)).isEqualTo(passes);
  }

  @Test
  void sizesAreMeasuredInUtf8() throws JsonFault {
    for (String text :
        new String[] {"", "abc", "\u00e9", "\u20ac", "\ud83d\ude00", "a\u07ff\u0800"}) {
      assertThat(PathValidators.utf8Length(text))
          .isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
    }
    JsonObject context = (JsonObject) Json.parse("{\"content\": \"\u20ac\u20ac\"}");
    Validator size = Objects.requireNonNull(PathValidators.all().get("validateFileContentSize"));
    assertThat(size.check(Given.facts(context, "{'max_file_size_mb': 0.000005}")).toString())
        .contains("6 bytes");
  }
}
