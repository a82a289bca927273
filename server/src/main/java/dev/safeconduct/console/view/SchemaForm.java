package dev.safeconduct.console.view;

import dev.safeconduct.error.ProblemException;
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
   * @param kind flag, choice, number, cents, line, text, lines, money or json
   * @param choices the options of a choice
   * @param money the amounts of a limit by currency, and an empty row
   */
  public record Field(
      String name,
      String label,
      String kind,
      String value,
      String hint,
      boolean required,
      List<String> choices,
      List<MoneyForm.Row> money) {
    /** Returns whether the property has no value. */
    public boolean isEmpty() {
      return value.isEmpty();
    }
  }

  /** Returns the fields, with the prefix before their names and the given values. */
  public static List<Field> fields(String prefix, JsonObject schema, JsonObject values) {
    List<String> required = schema.texts("required");
    JsonObject properties = schema.child("properties");
    var fields = new ArrayList<Field>();
    for (String name : properties.names()) {
      JsonObject property = properties.child(name);
      String hint = property.text("description");
      if (!hint.startsWith("Another name of") || values.has(name)) {
        String kind = kind(property, values.present(name));
        fields.add(
            new Field(
                prefix + name,
                Formats.sentence(Formats.words(name)),
                kind,
                shown(values.present(name), kind),
                hint(hint, kind),
                required.contains(name),
                property.texts("enum"),
                kind.equals("money")
                    ? MoneyForm.rows(prefix + name, property, values.object(name))
                    : List.of()));
      }
    }
    return fields;
  }

  private static String hint(String hint, String kind) {
    return switch (kind) {
      case "lines" -> (hint + " One per line.").strip();
      case "cents" -> hint.replace("Unit: cents.", "In US dollars.");
      default -> hint;
    };
  }

  /** Returns the kind of field; JSON for amounts that the form for money cannot show. */
  private static String kind(JsonObject property, @Nullable JsonValue value) {
    String kind = kind(property);
    return kind.equals("money") && !MoneyForm.canShow(property, value) ? "json" : kind;
  }

  private static String kind(JsonObject property) {
    if (!property.texts("enum").isEmpty()) {
      return "choice";
    }
    return switch (property.text("type")) {
      case "boolean" -> "flag";
      case "number", "integer" ->
          property.text("description").contains("Unit: cents.") ? "cents" : "number";
      case "object" -> MoneyForm.isFor(property) ? "money" : "json";
      case "string" -> property.whole("maxLength").orElse(0L) > LONG_TEXT ? "text" : "line";
      case "array" -> property.child("items").text("type").equals("string") ? "lines" : "json";
      default -> "json";
    };
  }

  private static String shown(@Nullable JsonValue value, String kind) {
    return switch (value) {
      case null -> "";
      case JsonArray list when kind.equals("lines") -> String.join("\n", list.texts());
      case JsonString(String text) -> text;
      case JsonNumber(double number, _) when kind.equals("cents") -> MoneyForm.major(number, 2);
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
    JsonObject properties = schema.child("properties");
    for (String name : properties.names()) {
      Optional<String> text = fields.apply(prefix + name).filter(value -> !value.isBlank());
      JsonObject property = properties.child(name);
      if (text.isPresent()) {
        // Amounts that the form for money cannot show are sent as JSON.
        String kind = kind(property).equals("money") ? "json" : kind(property);
        read.put(name, value(name, text.get(), kind));
      } else if (MoneyForm.isFor(property)) {
        JsonObject money = MoneyForm.read(prefix + name, name, property, fields);
        if (!money.isEmpty()) {
          read.put(name, money);
        }
      }
    }
    return read.build();
  }

  private static JsonValue value(String name, String text, String kind) {
    return switch (kind) {
      case "flag" -> JsonBoolean.of(text.equals("true"));
      case "number" -> number(name, text);
      case "cents" -> new JsonNumber(MoneyForm.minor(name, text, 2, "US dollars"));
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
    throw ProblemException.invalid(name, Formats.words(name) + " must be a number.");
  }

  /** A plain word in a field for a list of words is read as a list. */
  private static JsonValue json(String name, String text) {
    try {
      return Json.parse(text.strip());
    } catch (JsonFault e) {
      if (text.strip().startsWith("{") || text.strip().startsWith("[")) {
        throw ProblemException.invalid(
            name, Formats.words(name) + " is not valid JSON: " + e.getMessage());
      }
      return new JsonString(text.strip());
    }
  }
}
