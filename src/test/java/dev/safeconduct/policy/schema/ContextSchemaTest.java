package dev.safeconduct.policy.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.PolicyFault;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"name\":\"abc\"} | ok",
        "{\"name\":\"a\",\"files\":3} | ok",
        "{\"name\":\"a\",\"files\":[\"b\"]} | ok",
        "{\"name\":\"a\",\"files\":-1} | files must be at least 0.",
        "{\"name\":\"a\",\"files\":[1]} | files[0] must be a string, not this number.",
        "{\"name\":\"a\",\"files\":\"b\"} | files must be an array or an integer, not a string.",
        "{} | name is required",
        "{\"name\":null} | name is required",
        "{\"name\":\"\"} | name must have",
        "{\"name\":\"abcd\"} | name must have",
        "{\"name\":\"\ud83d\ude00\ud83d\ude00\ud83d\ude00\"} | ok",
        "{\"name\":\"\ud83d\ude00\ud83d\ude00\ud83d\ude00x\"} | name must have",
        "{\"name\":7} | name must be a string",
        "{\"n\":\"x\"} | ok",
        "{\"n\":\"x\",\"name\":\"x\"} | ok",
        "{\"n\":\"x\",\"name\":\"y\"} | n and name say different things",
        "{\"n\":\"x\",\"name\":null} | ok",
        "{\"name\":\"a\",\"blank\":\" \\t\\n\"} | blank must not be blank",
        "{\"name\":\"a\",\"nul\":\"a\\u0000b\"} | U+0000",
        "{\"name\":\"a\",\"count\":30.0} | ok",
        "{\"name\":\"a\",\"count\":30.5} | count must be an integer",
        "{\"name\":\"a\",\"count\":true} | count must be an integer",
        "{\"name\":\"a\",\"count\":\"30\"} | count must be an integer",
        "{\"name\":\"a\",\"count\":0} | count must be 1 to 100",
        "{\"name\":\"a\",\"count\":101} | count must be 1 to 100",
        "{\"name\":\"a\",\"count\":1e300} | count must be an integer",
        "{\"name\":\"a\",\"count\":null} | ok",
        "{\"name\":\"a\",\"size\":-0.1} | size must be at least 0",
        "{\"name\":\"a\",\"size\":1e300} | ok",
        "{\"name\":\"a\",\"code\":\"EUR\"} | ok",
        "{\"name\":\"a\",\"code\":\"EUR\\n\"} | code must match",
        "{\"name\":\"a\",\"code\":\"xEURx\"} | code must match",
        "{\"name\":\"a\",\"kind\":\"c\"} | kind must be one of",
        "{\"name\":\"a\",\"kind\":\"A\"} | kind must be one of",
        "{\"name\":\"a\",\"on\":\"true\"} | on must be true or false",
        "{\"name\":\"a\",\"day\":\"2026-02-29\"} | day must be a valid date",
        "{\"name\":\"a\",\"day\":\"2028-02-29\"} | ok",
        "{\"name\":\"a\",\"day\":\"2026-1-1\"} | day must be a valid date",
        "{\"name\":\"a\",\"at\":\"2026-11-21T09:00:00Z\"} | ok",
        "{\"name\":\"a\",\"at\":\"2026-11-21T09:00:00.123+02:00\"} | ok",
        "{\"name\":\"a\",\"at\":\"2026-11-21T09:00:00-23:59\"} | ok",
        "{\"name\":\"a\",\"at\":\"2026-11-21T09:00:00+24:00\"} | at must be a valid date-time",
        "{\"name\":\"a\",\"at\":\"2026-11-21T09:00:00\"} | at must be a valid date-time",
        "{\"name\":\"a\",\"at\":\"2026-11-21T25:00:00Z\"} | at must be a valid date-time",
        "{\"name\":\"a\",\"at\":\"2026-11-21 09:00:00Z\"} | at must be a valid date-time",
        "{\"name\":\"a\",\"tags\":[\"x\",\"y\",\"z\"]} | tags must have",
        "{\"name\":\"a\",\"tags\":[\"x\",7]} | tags[1] must be a string",
        "{\"name\":\"a\",\"tags\":[null]} | tags[0] must be a string",
        "{\"name\":\"a\",\"env\":{\"A\":\"1\",\"B\":null,\"C\":\"3\"}} | ok",
        "{\"name\":\"a\",\"env\":{\"A\":\"1\",\"B\":\"2\",\"C\":\"3\"}} | env must have",
        "{\"name\":\"a\",\"env\":{\"A\":1}} | env.A must be a string",
        "{\"name\":\"a\",\"items\":[]} | items must have",
        "{\"name\":\"a\",\"items\":[{\"qty\":1}]} | items[0].sku is required",
        "{\"name\":\"a\",\"items\":[{\"sku\":\"x\",\"qty\":null}]} | ok",
        "{\"name\":\"a\",\"unknown\":{\"x\":[1]}} | ok",
        "{\"name\":\"a\",\"region\":7} | region must be a string",
        "{\"name\":\"a\",\"mcp_servers\":[\"x\",1]} | mcp_servers[1] must be a string",
        "{\"name\":\"a\",\"mcp_tool\":[]} | mcp_tool must be a string",
        "{\"name\":\"a\",\"open\":[]} | open must be an object",
      })
  void says(String context, String verdict) throws JsonFault {
    assertThat(verdictOn(context.strip())).contains(verdict.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        // Inside an object the schema leaves open, nulls stay: rules may measure the text as sent.
        "{\"name\":\"a\",\"open\":{\"x\":null},\"count\":null} | {\"name\":\"a\",\"open\":{\"x\":null}}",
        "{\"name\":\"a\",\"env\":{\"A\":null}} | {\"name\":\"a\",\"env\":{}}",
        "{\"n\":\"a\",\"count\":2} | {\"count\":2,\"name\":\"a\"}",
        "{\"name\":\"a\",\"items\":[{\"sku\":\"s\",\"qty\":null}]} | {\"name\":\"a\",\"items\":[{\"sku\":\"s\"}]}",
      })
  void rulesSee(String context, String seen) throws JsonFault {
    assertThat(check(context.strip()))
        .isEqualTo(new ContextSchema.Checked.Sound((JsonObject) Json.parse(seen.strip())));
  }

  private static String verdictOn(String context) throws JsonFault {
    return switch (check(context)) {
      case ContextSchema.Checked.Sound _ -> "ok";
      case ContextSchema.Checked.Faulty faulty -> faulty.message();
    };
  }

  private static ContextSchema.Checked check(String context) throws JsonFault {
    var faults = new ArrayList<PolicyFault>();
    ContextSchema schema =
        ContextSchema.read((JsonObject) Json.parse(SCHEMA), new Formats(Map.of()), faults::add);
    assertThat(faults).isEmpty();
    return schema.check((JsonObject) Json.parse(context));
  }
}
