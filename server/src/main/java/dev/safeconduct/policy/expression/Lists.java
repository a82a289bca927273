package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Folding;
import org.jspecify.annotations.Nullable;

/** Allow lists and block lists. Allow lists compare exactly; block lists fold both sides. */
final class Lists {
  private static final String ANY = "*";

  private Lists() {}

  /** Returns whether the list is absent, a blank text, or an array without elements. */
  static boolean isEmpty(@Nullable JsonValue value) {
    return switch (value) {
      case JsonString text -> Folding.isBlank(text.value());
      case JsonArray array -> array.isEmpty();
      case null -> true;
      case JsonNull _ -> true;
      default -> false;
    };
  }

  /**
   * Returns whether the list allows the value: an entry equals it, or the list has {@code *}. An
   * absent list or value is not allowed; an empty entry allows nothing.
   */
  static boolean allow(Run run, @Nullable JsonValue list, @Nullable JsonValue value, int column)
      throws EvaluationFault {
    if (Semantics.absent(list)) {
      return false;
    }
    JsonArray entries = Semantics.array(list, "the list of allow", column);
    run.scans(entries, column);
    if (Semantics.absent(value)) {
      return false;
    }
    for (int i = 0; i < entries.size(); i++) {
      if (Elements.at(entries, i) instanceof JsonString entry
          && !entry.value().isEmpty()
          && (entry.value().equals(ANY) || Semantics.identical(run, value, entry, column))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a folded entry equals the folded value. An absent list or value blocks nothing.
   * A value that is not a string is a fault, because {@code !block} would otherwise let it pass.
   */
  static boolean block(Run run, @Nullable JsonValue list, @Nullable JsonValue value, int column)
      throws EvaluationFault {
    if (Semantics.absent(list)) {
      return false;
    }
    JsonArray entries = Semantics.array(list, "the list of block", column);
    run.scans(entries, column);
    if (Semantics.absent(value)) {
      return false;
    }
    String folded = fold(run, Semantics.text(value, "the value of block", column), column);
    for (int i = 0; i < entries.size(); i++) {
      if (Elements.at(entries, i) instanceof JsonString entry
          && fold(run, entry.value(), column).equals(folded)) {
        return true;
      }
    }
    return false;
  }

  private static String fold(Run run, String text, int column) throws EvaluationFault {
    run.folds(text.length(), column);
    return Folding.blockKey(text);
  }
}
