package dev.safeconduct.policy.schema;

import com.google.re2j.Pattern;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.text.Folding;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One compiled schema. Lengths count Unicode code points; number bounds are inclusive.
 *
 * @param types any when empty
 * @param oneOf the values of {@code enum}; any when empty
 * @param properties the described members, in order
 * @param required required members
 * @param others the schema of members not described; any value when absent
 * @param items the schema of elements; any value when absent
 * @param length the length of texts
 * @param elements the number of elements of an array
 * @param members the number of members of an object
 * @param form a named check of texts, with a description of the required form
 * @param together a bound on the joint length of some members
 * @param secret whether the value is a secret; by its name when absent
 */
public record SchemaNode(
    List<JsonType> types,
    List<JsonValue> oneOf,
    Map<String, SchemaNode> properties,
    List<String> required,
    Optional<SchemaNode> others,
    Optional<SchemaNode> items,
    Range length,
    Range elements,
    Range members,
    double minimum,
    double maximum,
    Optional<Pattern> pattern,
    boolean notBlank,
    boolean withoutNul,
    Optional<Form> form,
    Optional<Together> together,
    Optional<Boolean> secret) {
  /** Describes any value. */
  public static final SchemaNode ANY =
      new SchemaNode(
          List.of(),
          List.of(),
          Map.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Range.ANY,
          Range.ANY,
          Range.ANY,
          Double.NEGATIVE_INFINITY,
          Double.POSITIVE_INFINITY,
          Optional.empty(),
          false,
          false,
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** Returns the same schema for objects with these members. */
  SchemaNode withProperties(Map<String, SchemaNode> all) {
    return new SchemaNode(
        types,
        oneOf,
        all,
        required,
        others,
        items,
        length,
        elements,
        members,
        minimum,
        maximum,
        pattern,
        notBlank,
        withoutNul,
        form,
        together,
        secret);
  }

  /**
   * Returns the schema of an object's member; Java null if none describes it. A schema of objects
   * that describes no member describes all.
   */
  public @Nullable SchemaNode member(String name) {
    SchemaNode described = properties.get(name);
    if (described != null || others.isPresent()) {
      return described != null ? described : others.get();
    }
    return properties.isEmpty() && mayBe(JsonType.OBJECT) ? ANY : null;
  }

  /** Returns the schema of an array's elements; Java null if none describes them. */
  public @Nullable SchemaNode element() {
    return items.isPresent() ? items.get() : mayBe(JsonType.ARRAY) ? ANY : null;
  }

  private boolean mayBe(JsonType type) {
    return types.isEmpty() || types.contains(type);
  }

  /** Bits of the number of values that are looked at in one step. */
  private static final int SCANNED = 6;

  /** Bits of the number of instructions of a pattern that run in one step. */
  private static final int MATCHED = 9;

  /** Least and greatest count. */
  record Range(long min, long max) {
    static final Range ANY = new Range(0, Long.MAX_VALUE);

    boolean holds(long size) {
      return size >= min && size <= max;
    }

    String words(String unit) {
      if (max == Long.MAX_VALUE) {
        return "at least " + min + " " + unit;
      }
      return min == 0 ? "at most " + max + " " + unit : min + " to " + max + " " + unit;
    }
  }

  /** Texts, and lists of texts, that may not be longer in all. */
  record Together(List<String> fields, long most) {
    boolean holds(JsonObject object) {
      long length = 0;
      for (String field : fields) {
        length += length(object.present(field));
      }
      return length <= most;
    }

    private static long length(@Nullable JsonValue value) {
      return switch (value) {
        case JsonString text -> text.value().codePointCount(0, text.value().length());
        case JsonArray list -> list.elements().stream().mapToLong(Together::length).sum();
        case null, default -> 0;
      };
    }
  }

  /** A named format and its check. */
  record Form(String name, Predicate<String> check) {}

  /**
   * Returns the first fault of the value, as a sentence naming the path; Java null if there is
   * none.
   *
   * @param budget for work that is not bounded by the size of the value alone: a pack may come from
   *     the caller
   */
  @Nullable String fault(String path, JsonValue value, Budget budget) {
    return fault("", path, value, budget);
  }

  /** The path's last name comes apart from it: nearly all values have no fault that names them. */
  private @Nullable String fault(String parent, String name, JsonValue value, Budget budget) {
    budget.charge(oneOf.size() >> SCANNED);
    if (!types.isEmpty() && !isAdmitted(value)) {
      return join(parent, name) + " must be " + wanted() + ", not " + words(value) + ".";
    }
    if (!oneOf.isEmpty() && !oneOf.contains(value)) {
      return join(parent, name) + " must be one of " + listed() + ".";
    }
    return switch (value) {
      case JsonObject object -> objectFault(join(parent, name), object, budget);
      case JsonArray array -> arrayFault(join(parent, name), array, budget);
      case JsonString text -> {
        String wrong = textFault(text.value(), budget);
        yield wrong == null ? null : join(parent, name) + wrong;
      }
      case JsonNumber number -> {
        String wrong = numberFault(number.value());
        yield wrong == null ? null : join(parent, name) + wrong;
      }
      case JsonBoolean _, JsonNull _, JsonOverflow _ -> null;
    };
  }

  private boolean isAdmitted(JsonValue value) {
    for (JsonType type : types) {
      if (type.admits(value)) {
        return true;
      }
    }
    return false;
  }

  private @Nullable String objectFault(String path, JsonObject object, Budget budget) {
    budget.charge(required.size() >> SCANNED);
    for (String name : required) {
      if (object.present(name) == null) {
        return join(path, name) + " is required.";
      }
    }
    if (!members.holds(object.size())) {
      return path + " must have " + members.words("members") + ".";
    }
    if (together.isPresent() && !together.get().holds(object)) {
      return String.join(" and ", together.get().fields())
          + " together must have at most "
          + together.get().most()
          + " characters.";
    }
    for (String name : object.names()) {
      SchemaNode node = properties.get(name);
      if (node == null) {
        node = others.orElse(null);
      }
      JsonValue member = object.present(name);
      if (node != null && member != null) {
        String fault = node.fault(path, name, member, budget);
        if (fault != null) {
          return fault;
        }
      }
    }
    return null;
  }

  private @Nullable String arrayFault(String path, JsonArray array, Budget budget) {
    if (!elements.holds(array.size())) {
      return path + " must have " + elements.words("elements") + ".";
    }
    if (items.isPresent()) {
      budget.charge(array.size() >> SCANNED);
      for (int i = 0; i < array.size(); i++) {
        String fault = items.get().fault(path + "[" + i + "]", array.get(i), budget);
        if (fault != null) {
          return fault;
        }
      }
    }
    return null;
  }

  /** Returns what is wrong with a text, after its path. */
  private @Nullable String textFault(String text, Budget budget) {
    // Count code points only if the UTF-16 units exceed the bound.
    if (text.length() > length.max && text.codePointCount(0, text.length()) > length.max) {
      return " must have " + length.words("characters") + ".";
    }
    if (length.min > 0 && text.codePointCount(0, text.length()) < length.min) {
      return " must have " + length.words("characters") + ".";
    }
    if (notBlank && Folding.isBlank(text)) {
      return " must not be blank.";
    }
    if (withoutNul && text.indexOf('\0') >= 0) {
      return " must not hold U+0000.";
    }
    if (pattern.isPresent()) {
      // Every instruction of the pattern may look at every character.
      budget.charge(((long) text.length() * pattern.get().programSize()) >> MATCHED);
      if (!pattern.get().matches(text)) {
        return " must match " + pattern.get().pattern() + ".";
      }
    }
    if (form.isPresent() && !form.get().check().test(text)) {
      return " must be " + form.get().name() + ".";
    }
    return null;
  }

  private @Nullable String numberFault(double number) {
    if (number < minimum || number > maximum) {
      return " must be "
          + (maximum == Double.POSITIVE_INFINITY
              ? "at least " + plain(minimum)
              : plain(minimum) + " to " + plain(maximum))
          + ".";
    }
    return null;
  }

  private String wanted() {
    return String.join(" or ", types.stream().map(JsonType::words).toList());
  }

  private String listed() {
    return String.join(", ", oneOf.stream().map(value -> Json.text(value)).toList());
  }

  private static String plain(double number) {
    return Json.text(new JsonNumber(number));
  }

  private static String words(JsonValue value) {
    return switch (value) {
      case JsonNull _ -> "null";
      case JsonObject _ -> "an object";
      case JsonArray _ -> "an array";
      case JsonNumber _, JsonOverflow _ -> "this number";
      case JsonString _, JsonBoolean _ -> "a " + value.typeName();
    };
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /**
   * The types of JSON Schema that packs use; an integer is a number without fraction up to 2^53-1.
   */
  enum JsonType {
    OBJECT("an object"),
    ARRAY("an array"),
    STRING("a string"),
    INTEGER("an integer"),
    NUMBER("a number"),
    BOOLEAN("true or false");

    private final String wire = name().toLowerCase(Locale.ROOT);
    private final String words;

    JsonType(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }

    static Optional<JsonType> parse(String text) {
      return Arrays.stream(values()).filter(type -> type.wire.equals(text)).findFirst();
    }

    boolean admits(JsonValue value) {
      return switch (this) {
        case OBJECT -> value instanceof JsonObject;
        case ARRAY -> value instanceof JsonArray;
        case STRING -> value instanceof JsonString;
        case INTEGER -> value instanceof JsonNumber number && number.isSafeInteger();
        case NUMBER -> value instanceof JsonNumber;
        case BOOLEAN -> value instanceof JsonBoolean;
      };
    }
  }
}
