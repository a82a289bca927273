package dev.safeconduct.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.schema.Formats;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PackReaderTest {
  private static final PackReader READER =
      new PackReader(Set.of("validateThing"), new Formats(Map.of()));

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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"context.items <\"} | rule r, condition, column",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"context.itmes > 1\"} | the pack's context has no field \"itmes\"",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"limits.max > 1\"} | the pack has no limit \"max\"",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"process.exit()\"} | rule r, condition, column",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"validator\":\"validateNothing\"} | no validator \"validateNothing\"",
        "{\"name\":\"r\",\"deny_code\":\"denied\",\"condition\":\"true\"} | deny_code must look like oap.",
        "{\"name\":\"R r\",\"deny_code\":\"oap.x\",\"condition\":\"true\"} | name must be lower case",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\"} | at least one of condition, validator and counters",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"counters\":[{\"window\":\"day\"}]} | max is needed",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"counters\":[{\"window\":\"live\",\"max\":\"1\"}]} | window must be",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"counters\":[{\"window\":\"day\",\"lives_seconds\":\"60\",\"max\":\"1\"}]} | either window or lives_seconds",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"true\",\"sevrity\":1} | unknown member \"sevrity\"",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"counters\":[{\"window\":\"week\",\"max\":\"limits.per_day\"}]} | window must be",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"counters\":[]} | at least one counter",
        "{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"true\"},{\"name\":\"r\",\"deny_code\":\"oap.x\",\"condition\":\"true\"} | the name stands twice",
        "7 | evaluation_rules[0]: this must be an object",
      })
  void everyMistakeInARuleIsNamedWithItsPlace(String rules, String fault) {
    PackFault thrown = catchThrowableOfType(PackFault.class, () -> read(rules.strip()));
    assertThat(thrown).isNotNull();
    assertThat(thrown.lines()).anySatisfy(found -> assertThat(found).contains(fault.strip()));
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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"required_context\":5 | required_context",
        "\"required_context\":{\"properties\":5} | required_context.properties",
        "\"required_context\":{\"required\":\"a\"} | required_context.required",
        "\"required_context\":{\"properties\":{\"a\":{}},\"required\":[\"a\",5]} | required_context.required",
        "\"required_context\":{\"properties\":{\"a\":{\"pattern\":5}}} | a.pattern",
        "\"required_context\":{\"properties\":{\"a\":{\"format\":5}}} | a.format",
        "\"required_context\":{\"properties\":{\"a\":{\"x-format\":[\"uri\"]}}} | a.x-format",
        "\"required_context\":{\"properties\":{\"a\":{\"enum\":\"b\"}}} | a.enum",
        "\"required_context\":{\"properties\":{\"a\":{\"enum\":[]}}} | a.enum",
        "\"required_context\":{\"properties\":{\"a\":{\"x-not-blank\":\"true\"}}} | a.x-not-blank",
        "\"required_context\":{\"properties\":{\"a\":{\"x-aliases\":\"b\"}}} | a.x-aliases",
        "\"required_context\":{\"properties\":{\"a\":{\"x-sets\":5}}} | a.x-sets",
        "\"required_context\":{\"x-conditions\":5} | required_context.x-conditions",
        "\"limits\":5 | limits",
        "\"limits\":{\"a\":{\"per\":5}} | limits.a.per",
        "\"min_assurance\":2 | min_assurance",
        "\"approval_gate\":\"yes\" | approval_gate",
        "\"mcp\":\"enforced\" | mcp",
        "\"mcp\":{\"require_allowlisted_if_present\":1} | mcp.require_allowlisted_if_present",
      })
  void aMemberOfTheWrongTypeIsAFault(String member, String place) {
    String pack = "{\"id\":\"x.v1\",\"requires_capabilities\":[\"x\"]," + member.strip() + "}";
    PackFault thrown = catchThrowableOfType(PackFault.class, () -> READER.read(json(pack)));
    assertThat(thrown).isNotNull();
    assertThat(thrown.lines()).anySatisfy(line -> assertThat(line).contains(place.strip()));
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
    assertThat(pack.contextSchema().check(context))
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

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
