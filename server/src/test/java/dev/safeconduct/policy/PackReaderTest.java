package dev.safeconduct.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.policy.lint.PackLint;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.testkit.CaseSource;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

final class PackReaderTest {
  private static final PackReader READER =
      new PackReader(Set.of("validateThing"), new StringFormats(Map.of()), PackLint::check);

  private static final String SOUND =
      """
      {"id": "acme.stock.adjust.v1", "name": "Adjust stock", "version": "1.2.0",
       "requires_capabilities": ["acme.stock.adjust"], "min_assurance": "L1",
       "limits_containers": ["acme.stock.adjust"],
       "limits": {"max_items": {"type": "number"}, "per_day": {"type": "number", "aliases": ["daily"]}},
       "required_context": {"type": "object", "required": ["items"], "properties": {
         "items": {"type": "integer", "minimum": 1, "x-aliases": ["count"]},
         "thing": {"type": "string", "pattern": "^[a-z]+$"}}},
       "evaluation_rules": [RULES],
       "deny_codes": {"oap.thing": "The thing is not one of ours.", "oap.x": "x"},
       "mcp": {"require_allowlisted_if_present": true}, "approval_gate": true,
       "cache": {"default_ttl_seconds": 60}}
      """;

  @Test
  void aSoundPackIsReadWhole() throws Exception {
    PolicyPack pack =
        read(
            """
            {"name": "size", "deny_code": "oap.limit_exceeded", "condition": "context.items <= limits.max_items"},
            {"name": "thing", "deny_code": "oap.thing", "validator": "validateThing", "limits": ["max_items"], "context": ["thing"]},
            {"name": "daily", "deny_code": "oap.limit_exceeded", "counters": [
              {"name": "items", "window": "day", "max": "limits.per_day", "amount": "context.items"}]}
            """);
    assertThat(pack.id()).isEqualTo(new PolicyId("acme.stock.adjust.v1"));
    assertThat(pack.rules()).extracting(Rule::name).containsExactly("size", "thing", "daily");
    assertThat(pack.stateful()).isTrue();
    assertThat(pack.mcpEnforced()).isTrue();
    assertThat(pack.approvalGate()).isTrue();
    assertThat(pack.cacheSeconds()).isEqualTo(60);
    assertThat(pack.rules().getLast().limits()).containsExactly("per_day");
    assertThat(pack.digest()).isEqualTo(CanonicalJson.digest(pack.document()));
    assertThat(pack.contextSchema().fields()).contains("items", "count", "thing", "region");
  }

  @ParameterizedTest
  @CaseSource("policy/pack-reader.json")
  void everyMistakeInARuleIsNamedWithItsPlace(JsonArray rules, String fault) {
    PackFault thrown = catchThrowableOfType(PackFault.class, () -> read(rules));
    assertThat(thrown).isNotNull();
    assertThat(thrown.lines()).anySatisfy(found -> assertThat(found).contains(fault));
  }

  @Test
  void allFaultsAreListedAtOnce() {
    PackFault thrown =
        catchThrowableOfType(
            PackFault.class,
            () ->
                READER.read(
                    json(
                        """
                        {"id": "bad id", "requires_capabilities": [], "min_assurance": "L9",
                         "required_context": {"type": "objekt", "properties": {
                           "a": {"type": "string", "pattern": "(", "maximun": 3},
                           "b": {"type": "string", "format": "colour"}}, "required": ["c"]},
                         "evaluation_rules": [{"name": "x", "deny_code": "no", "condition": "("}]}
                        """)));
    assertThat(String.join("\n", thrown.lines()))
        .contains("id: must be")
        .contains("requires_capabilities")
        .contains("min_assurance")
        .contains("required_context.type")
        .contains("pattern")
        .contains("maximun")
        .contains("colour")
        .contains("\"c\"")
        .contains("rule x: deny_code")
        .contains("rule x, condition, column");
  }

  /** A keyword of another type would bound nothing, and nobody would see it. */
  @ParameterizedTest
  @CaseSource("policy/pack-reader.json")
  void aMemberOfTheWrongTypeIsAFault(JsonObject member, String place) throws JsonFault {
    JsonObject pack =
        json("{\"id\":\"x.v1\",\"requires_capabilities\":[\"x\"]}").toBuilder()
            .putAll(member)
            .build();
    PackFault thrown = catchThrowableOfType(PackFault.class, () -> READER.read(pack));
    assertThat(thrown).isNotNull();
    assertThat(thrown.lines()).anySatisfy(line -> assertThat(line).contains(place));
  }

  @Test
  void aPatternThatWouldBacktrackForeverIsLinearHere() throws Exception {
    PolicyPack pack =
        READER.read(
            json(
                """
                {"id": "evil.v1", "requires_capabilities": ["x"], "required_context": {"type": "object",
                  "properties": {"t": {"type": "string", "pattern": "^(a+)+$"}}}}
                """));
    JsonObject context = JsonObject.builder().put("t", "a".repeat(50_000) + "!").build();
    assertThat(pack.contextSchema().check(context, new Budget()))
        .isInstanceOf(dev.safeconduct.policy.schema.ContextSchema.Checked.Faulty.class);
  }

  @Test
  void backReferencesAreRefused() {
    assertThatThrownBy(() ->
            READER.read(
                json(
                    """
                    {"id": "evil.v1", "requires_capabilities": ["x"], "required_context": {
                      "properties": {"t": {"type": "string", "pattern": "^(a)\\\\1$"}}}}
                    """)))
        .isInstanceOf(PackFault.class)
        .hasMessageContaining("pattern");
  }

  private static PolicyPack read(String rules) throws PackFault, JsonFault {
    return READER.read(json(SOUND.replace("RULES", rules)));
  }

  private static PolicyPack read(JsonArray rules) throws PackFault, JsonFault {
    return READER.read(json(SOUND.replace("RULES", "")).with("evaluation_rules", rules));
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
