package dev.safeconduct.passport.catalog;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A limit or a capability's parameter, as the catalogue describes it.
 *
 * @param required whether every evaluation requires it
 * @param requiredWhen a description of when an evaluation requires it; otherwise empty
 * @param unit the unit of a number; empty if there is no unit
 * @param preset the value that issuance sets
 * @param aliases alternative names
 * @param choices the allowed strings; empty for any
 * @param members the members of an object, by name and alias
 * @param values the form of a map's values
 * @param currencyKeys whether a map's keys are ISO 4217 codes
 * @param perType whether the value may instead be an object with one value for each report type
 * @param narrows which of its values are narrower than others
 */
public record Field(
    String name,
    FieldType type,
    boolean required,
    String requiredWhen,
    String unit,
    Optional<JsonValue> preset,
    List<String> aliases,
    List<String> choices,
    Map<String, Field> members,
    Optional<Field> values,
    boolean currencyKeys,
    boolean perType,
    Narrows narrows) {
  static Field read(String name, JsonObject json) {
    FieldType type = FieldType.of(json.string("type").orElseThrow());
    return new Field(
        name,
        type,
        json.isTrue("required"),
        json.text("required_when"),
        json.text("unit"),
        Optional.ofNullable(json.get("default")),
        json.list("aliases").strings().toList(),
        json.list("choices").strings().toList(),
        readAll(json.child("members")),
        json.object("values").map(values -> read(name, values)),
        json.string("key").filter("currency"::equals).isPresent(),
        json.has("per"),
        Narrows.read(name, type, json));
  }

  /** The fields of an object in the catalogue, each under its name and its aliases. */
  static Map<String, Field> readAll(JsonObject json) {
    var fields = new LinkedHashMap<String, Field>();
    json.forEach((name, value) -> {
      Field field = read(name, (JsonObject) value);
      fields.put(name, field);
      field.aliases().forEach(alias -> fields.put(alias, field));
    });
    return fields;
  }
}
