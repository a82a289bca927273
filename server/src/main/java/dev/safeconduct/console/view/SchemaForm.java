package dev.safeconduct.console.view;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A form for a JSON Schema's properties, and the object that it submits. */
public final class SchemaForm {
  private static final int LONG_TEXT = 200;

  private SchemaForm() {}

  /**
   * A property as a field.
   *
   * @param kind flag, choice, number, line, text, lines or json
   * @param choices the options of a choice
   */
  public record Field(
      String name,
      String label,
      String kind,
      String value,
      String hint,
      boolean required,
      List<String> choices) {
    public Field {
      choices = List.copyOf(choices);
    }
  }

  /** Returns the fields, with the prefix before their names and the given values. */
  public static List<Field> fields(String prefix, JsonObject schema, JsonObject values) {
    List<String> required = AnswerReader.texts(schema, "required");
    JsonObject properties = AnswerReader.object(schema, "properties");
    var fields = new ArrayList<Field>();
    for (String name : properties.names()) {
      JsonObject property = AnswerReader.object(properties, name);
      String hint = AnswerReader.text(property, "description");
      if (!hint.startsWith("Another name of") || values.has(name)) {
        fields.add(
            new Field(
                prefix + name,
                Formats.sentence(Formats.words(name)),
                kind(property),
                shown(values.present(name), kind(property)),
                hint + (kind(property).equals("lines") ? " One per line." : ""),
                required.contains(name),
                AnswerReader.texts(property, "enum")));
      }
    }
    return fields;
  }

  private static String kind(JsonObject property) {
    if (!AnswerReader.texts(property, "enum").isEmpty()) {
      return "choice";
    }
    return switch (AnswerReader.text(property, "type")) {
      case "boolean" -> "flag";
      case "number", "integer" -> "number";
      case "string" ->
          AnswerReader.whole(property, "maxLength").orElse(0L) > LONG_TEXT ? "text" : "line";
      case "array" ->
          AnswerReader.text(AnswerReader.object(property, "items"), "type").equals("string")
              ? "lines"
              : "json";
      default -> "json";
    };
  }

  private static String shown(@Nullable JsonValue value, String kind) {
    return switch (value) {
      case null -> "";
      case JsonArray list when kind.equals("lines") -> String.join("\n", list.texts());
      case JsonString(String text) -> text;
      default -> Json.text(value);
    };
  }

  /**
   * Returns the object that the form submits.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for text that is not a valid number or not
   *     valid JSON
   */
  public static JsonObject read(
      String prefix, JsonObject schema, Function<String, Optional<String>> fields) {
    JsonObject.Builder read = JsonObject.builder();
    JsonObject properties = AnswerReader.object(schema, "properties");
    for (String name : properties.names()) {
      Optional<String> text = fields.apply(prefix + name).filter(value -> !value.isBlank());
      if (text.isPresent()) {
        read.put(name, value(name, text.get(), kind(AnswerReader.object(properties, name))));
      }
    }
    return read.build();
  }

  private static JsonValue value(String name, String text, String kind) {
    return switch (kind) {
      case "flag" -> JsonBoolean.of(text.equals("true"));
      case "number" -> number(name, text);
      case "lines" ->
          JsonArray.ofStrings(
              text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList());
      case "json" -> json(name, text);
      default -> new JsonString(text);
    };
  }

  private static JsonValue number(String name, String text) {
    try {
      double number = Double.parseDouble(text);
      if (Double.isFinite(number)) {
        return new JsonNumber(number);
      }
    } catch (NumberFormatException _) {
      // The error is reported below.
    }
    throw Problem.invalid(name, Formats.words(name) + " must be a number.").toException();
  }

  /** A plain word in a field for a list of words is read as a list. */
  private static JsonValue json(String name, String text) {
    try {
      return Json.parse(text.strip());
    } catch (JsonFault e) {
      if (text.strip().startsWith("{") || text.strip().startsWith("[")) {
        throw Problem.invalid(name, Formats.words(name) + " is not valid JSON: " + e.getMessage())
            .toException();
      }
      return new JsonString(text.strip());
    }
  }
}
