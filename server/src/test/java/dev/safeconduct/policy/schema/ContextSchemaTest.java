package dev.safeconduct.policy.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.testkit.CaseSource;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;

/** Pack catalogue 0.5, clause by clause. */
final class ContextSchemaTest {
  private static final String SCHEMA =
      """
      {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 3, "x-aliases": ["n"]},
        "blank": {"type": "string", "x-not-blank": true},
        "nul": {"type": "string", "x-no-nul": true},
        "count": {"type": "integer", "minimum": 1, "maximum": 100},
        "size": {"type": "number", "minimum": 0},
        "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "on": {"type": "boolean"},
        "files": {"type": ["array", "integer"], "minimum": 0, "items": {"type": "string"}},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        "env": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "string"}},
        "items": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["sku"],
          "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}}}},
        "open": {"type": "object"}}}
      """;

  @ParameterizedTest
  @CaseSource("policy/context-schema.json")
  void says(JsonObject context, String verdict) throws JsonFault {
    assertThat(verdictOn(context)).contains(verdict);
  }

  /** Inside an object the schema leaves open, nulls stay: rules may measure the text as sent. */
  @ParameterizedTest
  @CaseSource("policy/context-schema.json")
  void rulesSee(JsonObject context, JsonObject seen) throws JsonFault {
    assertThat(check(context)).isEqualTo(new ContextSchema.Checked.Sound(seen));
  }

  private static String verdictOn(JsonObject context) throws JsonFault {
    return switch (check(context)) {
      case ContextSchema.Checked.Sound _ -> "ok";
      case ContextSchema.Checked.Faulty faulty -> faulty.message();
    };
  }

  private static ContextSchema.Checked check(JsonObject context) throws JsonFault {
    var faults = new ArrayList<PolicyFault>();
    ContextSchema schema =
        ContextSchema.read(
            (JsonObject) Json.parse(SCHEMA), new StringFormats(Map.of()), faults::add);
    assertThat(faults).isEmpty();
    return schema.check(context, new Budget());
  }
}
