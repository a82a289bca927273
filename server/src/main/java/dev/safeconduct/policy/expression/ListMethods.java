package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** The methods of arrays, and {@code includes}, which strings have too. */
final class ListMethods {
  /** A lambda: its parameter's slot and its body. */
  record Function(int slot, Code body) {
    @Nullable JsonValue apply(Run run, @Nullable JsonValue argument, int column)
        throws EvaluationFault {
      run.step(column);
      run.bind(slot, argument);
      return body.run(run);
    }

    boolean holds(Run run, @Nullable JsonValue argument, int column) throws EvaluationFault {
      return Semantics.truthy(apply(run, argument, column));
    }
  }

  private ListMethods() {}

  static Code includes(Code target, Code element, int column) {
    return run -> {
      run.step(column);
      JsonValue receiver = target.run(run);
      JsonValue wanted = element.run(run);
      if (receiver instanceof JsonString text) {
        return JsonBoolean.of(TextMethods.contains(run, text.value(), wanted, column));
      }
      if (receiver instanceof JsonArray array) {
        return JsonBoolean.of(contains(run, array, wanted, column));
      }
      throw Semantics.mismatch(receiver, "the receiver of includes", "a string or array", column);
    };
  }

  static boolean contains(Run run, JsonArray array, @Nullable JsonValue wanted, int column)
      throws EvaluationFault {
    run.scans(array, column);
    for (int i = 0; i < array.size(); i++) {
      if (Semantics.identical(run, wanted, Elements.at(array, i), column)) {
        return true;
      }
    }
    return false;
  }

  static Code some(Code target, Function function, int column) {
    return untilFound(true, target, function, "the receiver of some", column);
  }

  static Code every(Code target, Function function, int column) {
    return untilFound(false, target, function, "the receiver of every", column);
  }

  /** Yields what is sought if the function yields it for some element, else the opposite. */
  private static Code untilFound(
      boolean sought, Code target, Function function, String role, int column) {
    return run -> {
      JsonArray array = receiver(run, target, role, column);
      for (int i = 0; i < array.size(); i++) {
        if (function.holds(run, Elements.at(array, i), column) == sought) {
          return JsonBoolean.of(sought);
        }
      }
      return JsonBoolean.of(!sought);
    };
  }

  static Code filter(Code target, Function function, int column) {
    return run -> {
      JsonArray array = receiver(run, target, "the receiver of filter", column);
      var kept = new Elements.Collector();
      for (int i = 0; i < array.size(); i++) {
        JsonValue element = Elements.at(array, i);
        if (function.holds(run, element, column)) {
          kept.add(element);
        }
      }
      return kept.array();
    };
  }

  static Code map(Code target, Function function, int column) {
    return run -> {
      JsonArray array = receiver(run, target, "the receiver of map", column);
      var mapped = new Elements.Collector();
      for (int i = 0; i < array.size(); i++) {
        mapped.add(function.apply(run, Elements.at(array, i), column));
      }
      return mapped.array();
    };
  }

  private static JsonArray receiver(Run run, Code target, String role, int column)
      throws EvaluationFault {
    run.step(column);
    JsonArray array = Semantics.array(target.run(run), role, column);
    run.bounded(array.size(), column);
    return array;
  }
}
