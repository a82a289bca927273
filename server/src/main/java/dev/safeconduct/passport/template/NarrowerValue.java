package dev.safeconduct.passport.template;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldCheck;
import dev.safeconduct.passport.catalog.Narrows;
import dev.safeconduct.passport.catalog.Narrows.Absence;
import dev.safeconduct.passport.catalog.Narrows.Direction;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares an instance's values with its template's, field by field. A value that allows more than
 * the template's is rejected with a 400 that names it.
 */
final class NarrowerValue {
  private NarrowerValue() {}

  /**
   * Rejects a value that is wider.
   *
   * @param above the template's value; Java null if absent
   * @param own the instance's value; Java null if absent
   */
  static void check(String path, Field field, @Nullable JsonValue above, @Nullable JsonValue own) {
    if (above != null && !above.equals(own) && !isSound(path, field, above)) {
      throw wider(path);
    }
    Narrows narrows = field.narrows();
    JsonValue theirs = above == null ? narrows.standard().orElse(null) : above;
    JsonValue ours = own == null ? narrows.standard().orElse(null) : own;
    if (ours == null) {
      if (theirs != null && narrows.absence() != Absence.NONE) {
        throw FieldCheck.wrong(
            path, " is a limit of the template, which an instance cannot take away.");
      }
      return;
    }
    if (theirs == null) {
      if (narrows.absence() != Absence.ANY) {
        throw FieldCheck.wrong(path, " is not set in the template, so an instance cannot set it.");
      }
      return;
    }
    if (!ours.equals(theirs) && !isNarrower(path, field, theirs, ours)) {
      throw wider(path);
    }
  }

  /**
   * Returns the narrower of two values, or what both of two lists permit.
   *
   * @throws ProblemException 400 if the values have no common narrower value
   */
  static JsonValue both(String path, Field field, JsonValue one, JsonValue other) {
    if (isWithin(path, field, one, other)) {
      return other;
    }
    if (isWithin(path, field, other, one)) {
      return one;
    }
    if (field.narrows().direction() == Direction.MORE
        && one instanceof JsonArray first
        && other instanceof JsonArray second) {
      var all = new LinkedHashSet<>(first.elements());
      all.addAll(second.elements());
      return new JsonArray(List.copyOf(all));
    }
    Set<String> common = new LinkedHashSet<>();
    for (List<JsonValue> pair : List.of(List.of(one, other), List.of(other, one))) {
      texts(pair.getFirst()).stream()
          .filter(
              entry -> EntryCover.covers(field.narrows().entries(), texts(pair.getLast()), entry))
          .forEach(common::add);
    }
    if (common.isEmpty()) {
      throw FieldCheck.wrong(path, " contradicts the same capability before it; send one value.");
    }
    return JsonArray.ofStrings(common);
  }

  private static boolean isWithin(String path, Field field, JsonValue above, JsonValue own) {
    try {
      check(path, field, above, own);
      return true;
    } catch (ProblemException e) {
      return false;
    }
  }

  /**
   * Compares the members of an object, each with the template's under the same name or an alias.
   */
  static void checkMembers(
      String path, Map<String, Field> fields, JsonObject above, JsonObject own) {
    for (Field field : new LinkedHashSet<>(fields.values())) {
      check(path + "." + field.name(), field, read(field, above), read(field, own));
      String qualified = field.narrows().qualifies();
      if (!qualified.isEmpty() && above.present(qualified) != null && read(field, above) == null) {
        refuseToQualify(path + "." + field.name(), read(field, own));
      }
    }
  }

  private static void refuseToQualify(String path, @Nullable JsonValue own) {
    if (own != null) {
      throw FieldCheck.wrong(path, " is not set in the template, so an instance cannot set it.");
    }
  }

  /** Returns the value under the first name that is present, as in evaluation. */
  static @Nullable JsonValue read(Field field, JsonObject from) {
    JsonValue value = from.present(field.name());
    for (String alias : field.aliases()) {
      value = value == null ? from.present(alias) : value;
    }
    return value;
  }

  private static ProblemException wider(String path) {
    return FieldCheck.wrong(
        path, " would be wider than in the template; an instance can only narrow it.");
  }

  /**
   * Returns whether the template's value is valid. An invalid value allows nothing, so no value is
   * narrower.
   */
  private static boolean isSound(String path, Field field, JsonValue above) {
    try {
      FieldCheck.check(path, field, above);
      return true;
    } catch (ProblemException e) {
      return false;
    }
  }

  private static boolean isNarrower(String path, Field field, JsonValue above, JsonValue own) {
    Direction direction = field.narrows().direction();
    return switch (field.type()) {
      case NUMBER ->
          above instanceof JsonNumber(double most, _)
              && own instanceof JsonNumber(double value, _)
              && (direction == Direction.LESS
                  ? value <= most
                  : direction == Direction.MORE && value >= most);
      case BOOLEAN, FLAG ->
          own.equals(JsonBoolean.of(direction == Direction.TRUE)) && direction != Direction.SAME;
      case LEVEL -> rank(own) >= rank(above);
      case TEXT -> {
        int choice = choice(field, own);
        yield choice >= 0 && choice <= choice(field, above);
      }
      case STRING_LIST, PATH_LIST, PATH_PATTERN_LIST, DOMAIN_LIST, URL_LIST, CSV_LIST ->
          direction == Direction.MORE
              ? new HashSet<>(texts(own)).containsAll(texts(above))
              : isCovered(field.narrows(), texts(above), texts(own));
      case RECIPIENT_LIST ->
          above instanceof JsonArray all && own instanceof JsonArray some && recipients(all, some);
      case OBJECT_LIST ->
          above instanceof JsonArray all
              && own instanceof JsonArray more
              && Set.copyOf(more.elements()).containsAll(all.elements());
      case OBJECT -> {
        if (!(above instanceof JsonObject theirs) || !(own instanceof JsonObject ours)) {
          yield false;
        }
        checkMembers(path, field.members(), theirs, ours);
        yield true;
      }
      case MAP -> {
        if (!(above instanceof JsonObject theirs) || !(own instanceof JsonObject ours)) {
          yield false;
        }
        checkMap(path, field, theirs, ours);
        yield true;
      }
    };
  }

  private static void checkMap(String path, Field field, JsonObject above, JsonObject own) {
    Field values = field.values().orElseThrow();
    for (String name : own.names()) {
      JsonValue theirs = above.present(name);
      if (own.present(name) == null) {
        continue;
      }
      if (theirs == null) {
        throw FieldCheck.wrong(
            path + "." + name, " is not set in the template, so an instance cannot set it.");
      }
      check(path + "." + name, values, theirs, own.present(name));
    }
    for (String name : above.names()) {
      // A missing entry denies only where every evaluation requires one.
      if (own.present(name) == null && above.present(name) != null && !field.required()) {
        throw FieldCheck.wrong(
            path + "." + name, " is a limit of the template, which an instance cannot take away.");
      }
    }
  }

  private static boolean isCovered(Narrows narrows, List<String> above, List<String> own) {
    if (narrows.emptyIsAll() && (above.isEmpty() || own.isEmpty())) {
      return above.isEmpty();
    }
    return own.stream().allMatch(entry -> EntryCover.covers(narrows.entries(), above, entry));
  }

  /**
   * Compares recipients: ids, or objects with their own limits. A recipient may be removed, but its
   * limits may not be.
   */
  private static boolean recipients(JsonArray above, JsonArray own) {
    Set<JsonValue> theirs = Set.copyOf(above.elements());
    Set<JsonValue> ours = Set.copyOf(own.elements());
    JsonString everybody = new JsonString("*");
    boolean listed = theirs.contains(everybody) || theirs.containsAll(ours);
    return listed
        && theirs.stream()
            .filter(JsonObject.class::isInstance)
            .filter(limited -> ours.contains(everybody) || ids(own).contains(id(limited)))
            .allMatch(ours::contains);
  }

  private static List<String> ids(JsonArray recipients) {
    return recipients.elements().stream().map(NarrowerValue::id).toList();
  }

  private static String id(JsonValue recipient) {
    return switch (recipient) {
      case JsonString(String id) -> id;
      case JsonObject object -> object.text("id");
      default -> "";
    };
  }

  /** Returns the entries of a list, or of a comma-separated string. */
  private static List<String> texts(JsonValue list) {
    return switch (list) {
      case JsonArray array -> array.texts();
      case JsonString(String text) ->
          Arrays.stream(text.split(",", -1))
              .map(String::strip)
              .filter(part -> !part.isEmpty())
              .toList();
      default -> List.of();
    };
  }

  private static int rank(JsonValue level) {
    return level instanceof JsonString(String text)
        ? AssuranceLevel.parse(text).map(AssuranceLevel::ordinal).orElse(-1)
        : -1;
  }

  private static int choice(Field field, JsonValue value) {
    return value instanceof JsonString(String text) ? field.choices().indexOf(text) : -1;
  }
}
