package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import java.util.ArrayList;
import java.util.List;

/** Keeps the checks of one judgement with the values they compared, when somebody asks for them. */
final class Trace {
  private final boolean wanted;
  private final PolicyPack pack;
  private final JsonObject passport;
  private final List<Check> checks = new ArrayList<>();

  Trace(boolean wanted, PolicyPack pack, JsonObject passport) {
    this.wanted = wanted;
    this.pack = pack;
    this.passport = passport;
  }

  List<Check> checks() {
    return checks;
  }

  /** A check that every pack has; {@code fields} are those it looked at in the context. */
  void common(
      String name, boolean passed, JsonObject limits, JsonObject context, List<String> fields) {
    if (!wanted) {
      return;
    }
    if (passed) {
      checks.add(new Check(name, true, Looked.NOTHING, Looked.NOTHING));
      return;
    }
    JsonObject looked = picked(limits, limitsOf(name));
    if (name.equals("assurance")) {
      looked = looked.with("min_assurance", new JsonString(pack.minAssurance().wire()));
    } else if (name.equals("capability")) {
      looked = looked.with("requires_capabilities", JsonArray.ofStrings(pack.capabilities()));
    }
    checks.add(
        new Check(
            name,
            false,
            Looked.all(looked),
            new Looked(context, fields, true),
            under("passport", picked(passport, passportOf(name)))));
  }

  private static List<String> limitsOf(String name) {
    return switch (name) {
      case "assurance" -> List.of("require_assurance_at_least");
      case "approval" -> List.of("approval_required");
      default -> List.of();
    };
  }

  private static List<String> passportOf(String name) {
    return switch (name) {
      case "passport_status" -> List.of("status");
      case "passport_expiry" -> List.of("expires_at", "never_expires");
      case "capability" -> List.of("capabilities");
      case "assurance" -> List.of("assurance_level");
      case "mcp_companions" -> List.of("mcp");
      case "region" -> List.of("regions");
      default -> List.of();
    };
  }

  /** A rule of the pack; {@code counters} are those whose caps are reached. */
  void rule(
      Rule rule,
      boolean passed,
      JsonObject limits,
      JsonObject context,
      List<JsonObject> params,
      JsonObject counters) {
    if (!wanted) {
      return;
    }
    JsonObject further = JsonObject.EMPTY;
    if (!passed) {
      List<JsonValue> set =
          params.stream().filter(one -> !one.isEmpty()).<JsonValue>map(one -> one).toList();
      if (!set.isEmpty()) {
        further = further.with("params", new JsonArray(set));
      }
      further = further.toBuilder().putAll(under("counters", counters)).build();
    }
    checks.add(
        new Check(
            rule.name(),
            passed,
            new Looked(limits, rule.limits(), !passed),
            new Looked(context, rule.fields(), !passed),
            further));
  }

  private static JsonObject under(String name, JsonObject values) {
    return values.isEmpty() ? JsonObject.EMPTY : JsonObject.builder().put(name, values).build();
  }

  private static JsonObject picked(JsonObject from, List<String> names) {
    return new Looked(from, names, true).picked();
  }
}
