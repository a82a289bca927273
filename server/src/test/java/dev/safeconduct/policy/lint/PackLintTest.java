package dev.safeconduct.policy.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.testkit.CaseFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be meant is refused with its place; what may be meant is not. */
final class PackLintTest {
  private static final PackReader READER =
      new PackReader(Set.of("validateThing"), new StringFormats(Map.of()), PackLint::check);

  private static final String PACK =
      """
      {"id": "acme.stock.adjust.v1", "requires_capabilities": ["acme.stock.adjust"],
       "limits": {"max_items": {"type": "number"}, "per_day": {"type": "number", "aliases": ["daily"]},
         "things": {"type": "string_list"}, "settings": {"type": "object"}, "strict": {"type": "flag"}},
       "required_context": {"type": "object", "required": ["items", "kind", "thing", "tags", "box", "free", "at"],
         "properties": {
           "items": {"type": "integer", "minimum": 1, "maximum": 1000, "x-aliases": ["count"]},
           "size": {"type": "number", "minimum": 0},
           "thing": {"type": "string"}, "note": {"type": "string", "maxLength": 100},
           "kind": {"type": "string", "enum": ["normal", "express"]},
           "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
           "box": {"type": "object", "properties": {"width": {"type": "number"}, "depth": {"type": "number"}}},
           "free": {"type": "object"}, "at": {"type": "string", "format": "date-time"}}}}
      """;

  @TestFactory
  List<DynamicTest> mistakes() {
    return CaseFile.tests("policy/mistakes.json", one -> text(one, "about"), PackLintTest::refuses);
  }

  private static void refuses(JsonObject one) throws Exception {
    JsonArray rules = one.array("rules").orElseGet(() -> conditions(text(one, "condition")));
    PackFault thrown = catchThrowableOfType(PackFault.class, () -> read(rules));
    assertThat(thrown).isNotNull();
    List<PolicyFault> meant =
        thrown.faults().stream()
            .filter(fault -> fault.message().contains(text(one, "says")))
            .toList();
    assertThat(meant).as(thrown.getMessage()).hasSize(1);
    PolicyFault fault = meant.getFirst();
    assertThat(fault.rule()).contains(one.string("rule").orElse("r"));
    assertThat(fault.field()).startsWith(one.string("field").orElse("evaluation_rules["));
    assertThat(fault.suggestion()).isEqualTo(one.string("suggestion"));
    if (one.get("column") instanceof JsonNumber column) {
      assertThat(fault.column()).hasValue((int) column.value());
    }
    // Nothing else is found, unless the one mistake has two faces.
    List<PolicyFault> others = new ArrayList<>(thrown.faults());
    others.remove(fault);
    Optional<String> also = one.string("also");
    assertThat(others).as(thrown.getMessage()).hasSize(also.isPresent() ? 1 : 0);
    assertThat(others).allMatch(other -> other.message().contains(also.orElseThrow()));
  }

  @TestFactory
  Stream<DynamicTest> soundConditions() {
    return ((JsonArray) CaseFile.json("policy/sound.json"))
        .strings()
        .map(condition -> dynamicTest(condition, () -> read(conditions(condition))));
  }

  @Test
  void soundConditionsTogetherAreSoundToo() throws Exception {
    var rules = new ArrayList<JsonValue>();
    for (String condition :
        List.of(
            "context.items <= limits.max_items",
            "context.items <= 500",
            "context.items <= 100",
            "context.kind === 'express' || context.items < 50",
            "absent(context.size) || context.size > 2")) {
      rules.add(rule("r" + rules.size(), condition));
    }
    assertThat(read(new JsonArray(rules)).rules()).hasSize(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state.dayCount('moves') < limits.per_day",
        "state.daySum('moves', '') < limits.per_day",
        "state.windowCount('looks', context.items) < 5",
        "state.windowCount('hours', 3600) < 5",
        "state.dayCount(context.thing) < 5",
        "!state.setHas('pairs', [context.thing, context.kind])",
        "!state.seenKey(context.thing)"
      })
  void whatSomeRuleCountsMayBeLookedAt(String condition) throws Exception {
    JsonArray counting =
        (JsonArray)
            Json.parse(
                """
                [{"name": "c", "deny_code": "oap.limit_exceeded", "counters": [
                  {"name": "moves", "window": "day", "max": "limits.per_day"},
                  {"name": "hours", "window": "hour", "max": "9"},
                  {"name": "pairs", "window": "forever", "max": "9", "key": "context.thing"},
                  {"name": "idempotency_key", "window": "24h", "max": "1", "key": "context.thing"}]}]
                """);
    var rules = new ArrayList<>(counting.elements());
    rules.add(rule("r", condition));
    assertThat(read(new JsonArray(rules)).rules()).hasSize(2);
  }

  @Test
  void aPackThatDescribesNothingMayReadAnything() throws Exception {
    JsonObject pack =
        Json.parseObject(
            """
            {"id": "a.v1", "requires_capabilities": ["a"], "evaluation_rules": [
              {"name": "r", "type": "expression", "deny_code": "oap.limit_exceeded",
               "condition": "!context.timeout || context.timeout <= limits.max_execution_time"}]}
            """
                .getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(READER.read(pack).rules()).hasSize(1);
  }

  @Test
  void aMisspeltMemberOfThePackIsFound() {
    PackFault thrown =
        catchThrowableOfType(
            PackFault.class,
            () ->
                READER.read(
                    Json.parseObject(
                        "{\"id\":\"a\",\"requires_capabilities\":[\"a\"],\"evaluation_rule\":[]}"
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    assertThat(thrown.lines())
        .containsExactly(
            "evaluation_rule: a pack has no member of this name; did you mean evaluation_rules?");
  }

  /** A version that was published before a stricter look at it came is still usable. */
  @Test
  void whatWasPublishedOnceStillCompiles() throws Exception {
    assertThat(READER.compile(pack(conditions("true"))).rules()).hasSize(1);
  }

  private static PolicyPack read(JsonArray rules) throws Exception {
    return READER.read(pack(rules));
  }

  private static JsonObject pack(JsonArray rules) throws Exception {
    return ((JsonObject) Json.parse(PACK)).with("evaluation_rules", rules);
  }

  private static JsonArray conditions(String condition) {
    return JsonArray.of(rule("r", condition));
  }

  private static JsonObject rule(String name, String condition) {
    return JsonObject.builder()
        .put("name", name)
        .put("deny_code", "oap.limit_exceeded")
        .put("condition", condition)
        .build();
  }

  private static String text(JsonObject one, String name) {
    return one.string(name).orElseThrow();
  }
}
