package dev.safeconduct.decision;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Records the evaluated checks and, if the caller asks for them, the values they compared. */
final class Trace {
  private final boolean wanted;
  private final PolicyPack pack;
  private final JudgedPassport passport;
  private final List<CheckOrder> passed = new ArrayList<>(CheckOrder.ALL.size());
  private final List<Check> checks = new ArrayList<>();
  private Optional<CheckOrder> failed = Optional.empty();

  /** How many of the pack's rules were evaluated, in their order. */
  private int rules;

  private final List<Rule> lifted = new ArrayList<>(0);

  Trace(boolean wanted, PolicyPack pack, JudgedPassport passport) {
    this.wanted = wanted;
    this.pack = pack;
    this.passport = passport;
  }

  List<Check> checks() {
    return checks;
  }

  List<EvaluatedChecks> evaluated() {
    boolean byRule = failed.equals(Optional.of(CheckOrder.RULES));
    return List.of(
        new EvaluatedChecks(Optional.empty(), passed, byRule ? rules() : List.of(), failed));
  }

  private List<String> rules() {
    return pack.rules().subList(0, rules).stream()
        .filter(rule -> !lifted.contains(rule))
        .map(Rule::name)
        .toList();
  }

  /** Returns the checks up to now, of which the last one failed. */
  List<EvaluatedChecks> evaluatedBy(CheckOrder failing) {
    return List.of(new EvaluatedChecks(Optional.empty(), passed, rules(), Optional.of(failing)));
  }

  /**
   * Records a check; {@code faulty}: the fields in which {@link CheckOrder#CONTEXT} found a fault.
   */
  void check(
      CheckOrder check,
      boolean hasPassed,
      JsonObject limits,
      JsonObject context,
      List<String> faulty) {
    if (hasPassed) {
      passed.add(check);
    } else {
      failed = Optional.of(check);
    }
    if (!wanted || check == CheckOrder.RULES) {
      return;
    }
    if (hasPassed) {
      checks.add(new Check(check.wire(), true, EvaluatedInputs.NOTHING, EvaluatedInputs.NOTHING));
      return;
    }
    JsonObject looked = picked(limits, limitsOf(check));
    if (check == CheckOrder.ASSURANCE) {
      looked = looked.with("min_assurance", pack.minAssurance().wire());
    } else if (check == CheckOrder.CAPABILITY) {
      looked = looked.with("requires_capabilities", JsonArray.ofStrings(pack.capabilities()));
    }
    checks.add(
        new Check(
            check.wire(),
            false,
            EvaluatedInputs.all(looked),
            new EvaluatedInputs(
                context, check == CheckOrder.CONTEXT ? faulty : contextOf(check), true),
            under("passport", picked(passport.document(), passportOf(check)))));
  }

  private static List<String> limitsOf(CheckOrder check) {
    return switch (check) {
      case ASSURANCE -> List.of("require_assurance_at_least");
      case APPROVAL -> List.of("approval_required");
      default -> List.of();
    };
  }

  private static List<String> contextOf(CheckOrder check) {
    return switch (check) {
      case MCP_COMPANIONS -> List.of("mcp_servers", "mcp_server", "mcp_tools", "mcp_tool");
      case REGION -> List.of("region");
      default -> List.of();
    };
  }

  private static List<String> passportOf(CheckOrder check) {
    return switch (check) {
      case PASSPORT_STATUS -> List.of(JudgedPassport.STATUS);
      case PASSPORT_EXPIRY -> List.of(JudgedPassport.EXPIRES_AT, JudgedPassport.NEVER_EXPIRES);
      case CAPABILITY -> List.of(JudgedPassport.CAPABILITIES);
      case ASSURANCE -> List.of(JudgedPassport.ASSURANCE_LEVEL);
      case MCP_COMPANIONS -> List.of(JudgedPassport.MCP);
      case REGION -> List.of(JudgedPassport.REGIONS);
      default -> List.of();
    };
  }

  /** Records a rule of the pack; {@code counters} are the counters whose caps are reached. */
  void rule(
      Rule rule,
      boolean hasPassed,
      JsonObject limits,
      JsonObject context,
      List<JsonObject> params,
      JsonObject counters) {
    rules++;
    if (!wanted) {
      return;
    }
    JsonObject further = JsonObject.EMPTY;
    if (!hasPassed) {
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
            hasPassed,
            new EvaluatedInputs(limits, rule.limits(), !hasPassed),
            new EvaluatedInputs(context, rule.fields(), !hasPassed),
            further));
  }

  /** Leaves out the rule recorded last: it failed, and others are evaluated after it. */
  void lifted() {
    lifted.add(pack.rules().get(rules - 1));
  }

  private static JsonObject under(String name, JsonObject values) {
    return values.isEmpty() ? JsonObject.EMPTY : JsonObject.of(name, values);
  }

  private static JsonObject picked(JsonObject from, List<String> names) {
    return new EvaluatedInputs(from, names, true).picked();
  }
}
