package dev.safeconduct.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The three places of a limit that may be set apart for each value of a field. */
final class PerValueTest {
  private static final PerValue PER_COLOUR =
      new PerValue(Map.of("most", "colour"), Set.of("most", "least"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // the value's own object, while it has the limit
        "red | {'red': {'most': 1}, 'most': 5} | 1",
        "red | {'red': {'most': 0}, 'most': 5} | 0",
        "red | {'red': {'most': null}, 'most': 5} | 5",
        "red | {'red': {'least': 1}, 'most': {'red': 2}} | 2",
        "red | {'red': [1], 'most': 5} | 5",
        // the limit's own object
        "red | {'most': {'red': 2, 'blue': 3}} | 2",
        "red | {'most': {'blue': 3}} | null",
        "red | {'most': {'red': null}} | null",
        // the limit itself, or nothing
        "red | {'most': 5} | 5",
        "red | {'most': '5'} | '5'",
        "red | {} | null",
        // names of limits and of things that are not the limits' own
        "least | {'least': {'most': 9}, 'most': 5} | 5",
        "most | {'most': {'most': 9}} | 9",
        "constructor | {'constructor': {'most': 9}} | 9",
        "toString | {'most': {'red': 2}} | null"
      })
  void placesInOrder(String colour, String limits, String most) throws Exception {
    JsonObject resolved =
        PER_COLOUR.resolve(
            (JsonObject) Json.parse(limits.replace('\'', '"')),
            JsonObject.builder().put("colour", colour).build());
    assertThat(Optional.ofNullable(resolved.get("most")).map(Json::text))
        .contains(most.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource({"1", "'{}'", "'[]'"})
  void packsWithoutSuchLimitsSeeTheirsUnchanged(String value) throws Exception {
    JsonObject limits = JsonObject.builder().put("most", Json.parse(value)).build();
    assertThat(new PerValue(Map.of(), Set.of()).resolve(limits, JsonObject.EMPTY)).isSameAs(limits);
  }
}
