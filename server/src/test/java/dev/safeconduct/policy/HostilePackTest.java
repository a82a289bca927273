package dev.safeconduct.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A pack made to be slow to look through: the most rules there may be, each as long as it may. */
final class HostilePackTest {
  private static final PackReader READER =
      new PackReader(Set.of(), new StringFormats(Map.of()), PackLint::check);

  private static JsonObject pack(JsonObject fields, List<JsonValue> rules) {
    return JsonObject.builder()
        .put("id", "hostile.v1")
        .put("requires_capabilities", JsonArray.ofStrings(List.of("x")))
        .put(
            "required_context",
            JsonObject.builder().put("type", "object").put("properties", fields).build())
        .put("evaluation_rules", new JsonArray(rules))
        .build();
  }

  private static List<String> faults(List<String> patterns) {
    JsonObject.Builder fields = JsonObject.builder();
    for (int i = 0; i < patterns.size(); i++) {
      fields.put(
          "f" + i,
          JsonObject.builder().put("type", "string").put("pattern", patterns.get(i)).build());
    }
    JsonObject pack = pack(fields.build(), List.of());
    return WallClock.within(
        Duration.ofSeconds(20),
        () -> {
          try {
            READER.read(pack);
            return List.of();
          } catch (PackFault e) {
            return e.lines();
          }
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " # ",
      value = {
        "(?:[a-z]{100}){199} # 3",
        "(?:(a{1,9}b?){99}|[)c]*(?i){2}){20} # 2",
        "\\Q(((\\E(?:[[:alpha:])]{1,50}){300} # 4",
        "(?:[]\\]a]{100}){99}(?i){6} # 1",
        "\\pL\\pL\\pL # 164",
        "(?i)[\u1c89-\uffff][a-\\x{1bff}] # 49",
      })
  void patternsThatMultiplyOutToTooMuchTogetherAreRefused(String pattern, int times) {
    assertThat(faults(Collections.nCopies(times, pattern)))
        .singleElement()
        .asString()
        .contains("f" + (times - 1) + ".pattern", "repeats too much");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?i)\u1c80",
        "(?i:a|\\x{1C88})",
        "(?i)\\x{000001C80}",
        "x(?si)[\u0400-\u1cff]",
        "(?i)[^a-\\x{2000}]",
        "(?i)\\Q\u1c85\\E",
      })
  void patternsThatNeverEndCompilingAreRefused(String pattern) {
    assertThat(faults(List.of(pattern))).singleElement().asString().contains("U+1C80");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?i)stra\u00dfe|[\u0410-\u044f]+",
        "(?i)^preis-\u20ac[0-9]+$",
        "(?i)[\\x{4e00}-\\x{9fff}]\u20ac",
        "[\u0400-\u1cff]+",
        "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
        "^[\\p{L} .'-]{1,1000}$",
        "(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}",
      })
  void usualPatternsAreAccepted(String pattern) {
    assertThat(faults(List.of(pattern))).isEmpty();
  }

  @Tag("timing")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "context.a && context.b || ",
        "!(context.a || ",
        "(context.a === 'x' || context.b < 3) && ",
        "context.l.some(x => context.l.some(y => x === y)) || ",
        "[context.a, context.b].includes(context.c) || ",
        "context.a === 'v7' || context.a !== context.b && ",
        "context[context.a] || ",
      })
  void isLookedThroughInTime(String part) {
    var rules = new ArrayList<JsonValue>();
    int parts = 940 / part.length();
    String head = part.repeat(part.startsWith("!(") ? 30 : parts);
    String tail = part.startsWith("!(") ? ")".repeat(30) : "";
    for (int i = 0; i < 200; i++) {
      rules.add(
          JsonObject.builder()
              .put("name", "r" + i)
              .put("deny_code", "oap.limit_exceeded")
              .put("condition", head + "context.n > " + i + tail)
              .build());
    }
    var choices = new ArrayList<String>();
    for (int i = 0; i < 5_000; i++) {
      choices.add("v" + i);
    }
    JsonObject.Builder fields = JsonObject.builder();
    for (String name : List.of("a", "b", "c")) {
      fields.put(
          name,
          JsonObject.builder()
              .put("type", "string")
              .put("enum", JsonArray.ofStrings(choices))
              .build());
    }
    fields.put("n", JsonObject.builder().put("type", "number").build());
    fields.put("l", JsonObject.builder().put("type", "array").build());
    JsonObject pack = pack(fields.build(), rules);
    // What it finds does not matter here.
    int found =
        WallClock.within(
            Duration.ofSeconds(20),
            () -> {
              try {
                return READER.read(pack).rules().size();
              } catch (PackFault e) {
                return e.faults().size();
              }
            });
    assertThat(found).isPositive();
  }
}
