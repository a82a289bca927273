package dev.safeconduct.policy.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

/**
 * Random rules over random data mean what ECMAScript says, and fail where it throws a TypeError.
 * The differences made on purpose are listed in {@code ecmascript.js}.
 */
final class EcmaScriptAgreementTest {
  private static final int DATA_SETS = 600;
  private static final int RULES_PER_SET = 100;

  private enum Kind {
    FAULT,
    TRUE,
    FALSE
  }

  @RandomTest(cases = 1)
  void aSampleAgrees(RandomCase random) throws Exception {
    Map<Kind, Integer> seen = new EnumMap<>(Kind.class);
    try (var oracle = new EcmaScript()) {
      for (int set = 0; set < DATA_SETS; set++) {
        var data = new RandomFacts(random);
        var facts = new FixedFacts(JsonObject.EMPTY, data.root(), data.root());
        oracle.bind("context", facts.context());
        oracle.bind("limits", facts.limits());
        for (int i = 0; i < RULES_PER_SET; i++) {
          seen.merge(agrees(random, oracle, facts), 1, Integer::sum);
        }
      }
    }
    // A sample in which nearly everything fails, or passes, would prove little.
    assertThat(seen).allSatisfy((_, count) -> assertThat(count).isGreaterThan(6_000)).hasSize(3);
  }

  private static Kind agrees(Random random, EcmaScript oracle, FixedFacts facts)
      throws ExpressionFault {
    RandomExpression.Pair pair = rule(random);
    var answer = oracle.evaluate(pair.script());
    String about = "rule " + pair.rule() + "\nscript " + pair.script() + "\n" + facts;
    Expression expression = compiled(pair.rule(), about);
    try {
      var value = expression.evaluate(facts, new Budget());
      boolean same =
          answer instanceof EcmaScript.Answer.Value(var theirs) && EcmaScript.same(value, theirs);
      assertThat(same).as("%s\nours %s, theirs %s", about, value, answer).isTrue();
      return Semantics.truthy(value) ? Kind.TRUE : Kind.FALSE;
    } catch (EvaluationFault fault) {
      assertThat(answer)
          .as("%s\nours %s", about, fault.getMessage())
          .isInstanceOf(EcmaScript.Answer.TypeError.class);
      return Kind.FAULT;
    }
  }

  private static RandomExpression.Pair rule(Random random) {
    while (true) {
      var pair = new RandomExpression(random).any(1 + random.nextInt(5));
      if (pair.rule().length() <= Expression.MAX_LENGTH) {
        return pair;
      }
    }
  }

  private static Expression compiled(String rule, String about) {
    try {
      return Expression.compile(rule);
    } catch (ExpressionFault fault) {
      throw new AssertionError(about + "\nat " + fault.column(), fault);
    }
  }
}
