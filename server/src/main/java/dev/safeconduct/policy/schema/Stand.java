package dev.safeconduct.policy.schema;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A field that substitutes others ({@code x-sets}). Its value becomes the value of one field, and
 * its name implies the values of the rest. For example, {@code contract_value_usd} is a contract
 * value in USD.
 *
 * @param field the field that substitutes others
 * @param target the field whose value it gives
 * @param implied the values its presence gives to further fields
 */
record Stand(String field, String target, JsonObject implied) {
  static Stand read(
      String field, JsonObject sets, JsonObject described, Consumer<PolicyFault> faults) {
    String target = sets.text("value_of");
    JsonObject implied = sets.child("implies");
    if (!described.has(target)
        || !described.names().containsAll(implied.names())
        || implied.has(target)) {
      faults.accept(
          PolicyFault.at(
              "required_context.properties." + field + ".x-sets",
              "value_of and implies must name described fields"));
    }
    return new Stand(field, target, implied);
  }

  /**
   * Returns the context with this field replaced by those it substitutes; Java null on conflict.
   */
  @Nullable JsonObject unfold(JsonObject context) {
    JsonValue value = context.get(field);
    if (value == null) {
      return context;
    }
    JsonObject all = implied.with(target, value);
    JsonObject unfolded = context.without(field);
    for (String name : all.names()) {
      JsonValue given = context.get(name);
      JsonValue meant = all.present(name);
      if (meant == null || (given != null && !given.equals(meant))) {
        return null;
      }
      unfolded = unfolded.with(name, meant);
    }
    return unfolded;
  }
}
