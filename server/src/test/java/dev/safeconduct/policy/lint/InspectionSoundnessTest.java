package dev.safeconduct.policy.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.expression.EvaluationFault;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.expression.ExpressionFault;
import dev.safeconduct.policy.expression.FixedFacts;
import dev.safeconduct.policy.expression.RandomExpression;
import dev.safeconduct.policy.expression.RandomFacts;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What an inspection claims is true of every evaluation: random expressions over random facts, with
 * knowledge from nothing at all to the very facts.
 */
final class InspectionSoundnessTest {
  private static final int ROUNDS = 6_000;

  @RandomTest(cases = 2)
  void noEvaluationEverContradictsIt(RandomCase random) throws Exception {
    int decided = 0;
    for (int i = 0; i < ROUNDS; i++) {
      var facts = facts(random);
      TypeEnvironment knowledge = knowledge(random, facts);
      String first = source(random, 4);
      String second = source(random, 3);
      String at = first + " THEN " + second + " ON " + facts;
      Inspection one = check(first, knowledge, facts, at);
      decided += one.neverHolds() || one.alwaysHolds() ? 1 : 0;
      if (holds(first, facts)) {
        // What held may be built upon: the rules after it are reached only then.
        check(second, one.whenItHolds().orElseThrow(), facts, at);
      }
    }
    assertThat(decided).as("decides enough to be worth it").isGreaterThan(500);
  }

  private static Inspection check(String source, TypeEnvironment known, FixedFacts facts, String at)
      throws ExpressionFault {
    Inspection inspection = Inspection.of(source, known);
    try {
      JsonValue value = facts.evaluate(source);
      assertThat(has(inspection.values(), value)).as("%s gives %s", at, value).isTrue();
      boolean truthy = holds(source, facts);
      assertThat(truthy && inspection.neverHolds()).as(at).isFalse();
      assertThat(!truthy && inspection.alwaysHolds()).as(at).isFalse();
    } catch (EvaluationFault fault) {
      assertThat(inspection.mayFail()).as("%s fails: %s", at, fault.getMessage()).isTrue();
    }
    return inspection;
  }

  private static boolean holds(String source, FixedFacts facts) throws ExpressionFault {
    try {
      return Expression.compile(source).holds(facts);
    } catch (EvaluationFault fault) {
      return false;
    }
  }

  private static FixedFacts facts(Random random) {
    var data = new RandomFacts(random);
    return new FixedFacts(data.root(), data.root(), data.root());
  }

  private static TypeEnvironment knowledge(Random random, FixedFacts facts) {
    var other = new RandomFacts(random);
    return TypeEnvironment.of(
        values(random, facts.context(), other.root()),
        values(random, facts.limits(), other.root()),
        alike(facts.policy()));
  }

  private static ValueSet values(Random random, JsonObject real, JsonObject other) {
    return switch (random.nextInt(4)) {
      case 0 -> ValueSet.OBJECT;
      case 1 -> alike(real).or(alike(other));
      default -> alike(real);
    };
  }

  /** All that is alike to the value: exactly it, and of arrays those with the same elements. */
  private static ValueSet alike(JsonValue value) {
    return switch (value) {
      case JsonObject object -> {
        Map<String, ValueSet> members = new HashMap<>();
        object.forEach((name, member) -> members.put(name, alike(member)));
        yield ValueSet.of(new ValueSet.Objects(members, ValueSet.UNDEFINED, false));
      }
      case JsonArray array -> {
        ValueSet elements = ValueSet.NONE;
        for (JsonValue element : array) {
          elements = elements.or(alike(element));
        }
        yield ValueSet.of(new ValueSet.Arrays(elements, array.size(), array.size()));
      }
      default -> ValueSet.of(value);
    };
  }

  /** Whether the value is one of them. */
  private static boolean has(ValueSet values, @Nullable JsonValue value) {
    if (value instanceof JsonArray array) {
      return values
          .arrays()
          .filter(arrays -> array.size() >= arrays.least() && array.size() <= arrays.most())
          .filter(arrays -> elementsFit(arrays, array))
          .isPresent();
    }
    if (value instanceof JsonObject object) {
      return values.objects().filter(objects -> membersFit(objects, object)).isPresent();
    }
    return !values.and(ValueSet.of(value)).isEmpty();
  }

  private static boolean elementsFit(ValueSet.Arrays arrays, JsonArray array) {
    for (int i = 0; i < array.size(); i++) {
      if (!has(arrays.elements(), FixedFacts.element(array, i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean membersFit(ValueSet.Objects objects, JsonObject object) {
    for (String name : object.names()) {
      if (!has(objects.member(name), object.get(name))) {
        return false;
      }
    }
    return true;
  }

  private static String source(Random random, int depth) {
    var expressions = new RandomExpression(random);
    String a = "(" + expressions.any(depth).rule() + ")";
    String b = "(" + expressions.any(depth - 1).rule() + ")";
    String source =
        switch (random.nextInt(16)) {
          case 0 -> "allow(" + a + ", " + b + ")";
          case 1 -> "!block(" + a + ", " + b + ") && " + b;
          case 2 -> "hasKey(" + a + ", " + b + ")";
          case 3 -> "isEmpty(" + a + ") || " + b;
          case 4 -> "absent(" + a + ") || " + a + " === " + b;
          case 5 -> "rank(" + a + ") >= rank(passport.s1) || " + b;
          case 6 -> "rank(tier(" + a + ")) > 2";
          case 7 -> "regionCovered(" + a + ") && hasCapability(" + b + ")";
          case 8 -> "now() - timestamp(" + a + ") < " + b;
          case 9 -> "state.windowCount('calls', 60) < " + a + " || " + b;
          case 10 -> "get(context, 'o1', " + a + ", 't') || " + b;
          case 11 -> "context.n1 > " + a + " && context.n1 <= " + b;
          case 12 -> "context.s1 === 'a' || context.s1 !== " + a + " && limits.n1 < context.n1";
          default -> a;
        };
    return Optional.of(source)
        .filter(text -> text.length() <= Expression.MAX_LENGTH)
        .orElse("true");
  }
}
