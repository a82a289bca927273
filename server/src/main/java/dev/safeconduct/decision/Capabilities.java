package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.SizeEstimate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The capabilities of a passport, and the check that they admit a pack (pack catalogue 0.4). */
public final class Capabilities {
  private static final Map<String, List<String>> ALIASES =
      Map.of(
          "messaging.send", List.of("messaging.message.send"),
          "payments.charge", List.of("finance.payment.charge"),
          "payments.payout", List.of("finance.payment.payout"),
          "finance.payment.refund", List.of("payments.refund"),
          "finance.transaction", List.of("finance.transaction.execute"),
          "data.export", List.of("data.export.create"),
          "data.access", List.of("governance.data.access"),
          "repo.release", List.of("repo.release.publish", "code.release.publish"),
          "repo.merge", List.of("code.repository.merge"));

  public static final Capabilities NONE = new Capabilities(JsonArray.EMPTY);

  private final JsonArray held;

  /** {@code held}: the passport's list; an element is an id, or an object with one. */
  public Capabilities(JsonArray held) {
    this.held = held;
  }

  /** Whether the passport holds the capability or one of its aliases. */
  public boolean holds(String required) {
    return holdsAny(List.of(required));
  }

  public boolean holdsAny(List<String> required) {
    Set<String> admitted = withAliases(required);
    for (JsonValue capability : held) {
      if (admitted.contains(id(capability))) {
        return true;
      }
    }
    return false;
  }

  /** Returns about how many bytes they take in memory. */
  long size() {
    return SizeEstimate.of(held);
  }

  /** The params of every held capability that admits one of these. */
  public List<JsonObject> params(List<String> required) {
    Set<String> admitted = withAliases(required);
    var params = new ArrayList<JsonObject>();
    for (JsonValue capability : held) {
      if (capability instanceof JsonObject object && admitted.contains(id(object))) {
        object.object("params").ifPresent(params::add);
      }
    }
    return params;
  }

  private static Set<String> withAliases(List<String> required) {
    var admitted = new HashSet<String>(required);
    required.forEach(id -> admitted.addAll(ALIASES.getOrDefault(id, List.of())));
    admitted.remove("");
    return admitted;
  }

  /** Returns the ids of the held capabilities, with each alias replaced by its canonical id. */
  public Set<String> canonicalIds() {
    var ids = new HashSet<String>();
    for (JsonValue capability : held) {
      String id = id(capability);
      if (!id.isEmpty()) {
        ids.add(canonical(id));
      }
    }
    return ids;
  }

  /** Returns the canonical id of a capability or of its alias. */
  public static String canonical(String id) {
    for (Map.Entry<String, List<String>> entry : ALIASES.entrySet()) {
      if (entry.getValue().contains(id)) {
        return entry.getKey();
      }
    }
    return id;
  }

  /** Returns the capability's id, or the empty text, which admits nothing, if it has no id. */
  private static String id(JsonValue capability) {
    return switch (capability) {
      case JsonString text -> text.value();
      case JsonObject object -> object.get("id") instanceof JsonString text ? text.value() : "";
      default -> "";
    };
  }
}
