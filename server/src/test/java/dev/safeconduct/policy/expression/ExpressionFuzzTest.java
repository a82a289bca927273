package dev.safeconduct.policy.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/** Garbage and near-expressions: each is compiled or refused, and what compiles ends. */
final class ExpressionFuzzTest {
  private static final int INPUTS = 100_000;

  private static final List<String> SEEDS =
      List.of(
          "limits.wanted.every(n => context.proofs.some(p => p.of === n.id))",
          "!limits.max_kb || !context.kb || context.kb <= limits.max_kb * -1.5e2",
          "(limits.a && limits.a.includes('x')) || limits['open'] !== \"it\\'s\"",
          "rank(passport.assurance_level) >= rank(tier(context.amount)) && now() > 5",
          "context.pair.split('-').every(t => allow(limits.list, t.trim().toLowerCase()))",
          "state.daySum('volume', context.cur) + context.amount / 2 - 1 <= 100",
          "get(limits, 'a', context.key) == undefined && [1, 'a', null, [true]].length < 9",
          "context.list.filter(x => x).map(x => x.replace('*', '')).includes(context.key)",
          "!block(limits.list, context.key) && isEmpty(context.list) != absent(context.gone)");

  private static final List<String> PIECES =
      List.of(
          "(",
          ")",
          "[",
          "]",
          ".",
          ",",
          "=>",
          "&&",
          "||",
          "!",
          "-",
          "+",
          "*",
          "/",
          "===",
          "!=",
          "<",
          ">=",
          "'",
          "\"",
          "\\",
          "x",
          "context",
          "limits",
          "state",
          "some(x => ",
          "map(y => ",
          "'a'",
          "0",
          "1e9",
          "null",
          "undefined",
          "__proto__",
          "constructor",
          " ",
          "\n",
          "\0",
          "é",
          "\uD800",
          "absent(",
          "get(",
          "now()",
          "context.list",
          ".length",
          "timestamp(",
          "tier(",
          "=",
          "?",
          "`");

  private static final FactSource FACTS =
      FixedFacts.of(
          ExpressionTest.given(
              """
              {"context": {"kb": 3, "key": "a", "pair": "eur-usd", "cur": "EUR", "amount": 5,
                "list": ["a", "b*", null, 4, {"of": "a"}], "proofs": [{"of": "p1"}]},
               "limits": {"a": ["x"], "max_kb": 9, "list": ["eur", "usd"], "wanted": [{"id": "p1"}]},
               "passport": {"assurance_level": "L3"}}
              """));

  @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @RandomTest(cases = 2)
  void nothingButTheTwoFaultsComesOut(RandomCase random) {
    int compiled = 0;
    for (int i = 0; i < INPUTS; i++) {
      String source =
          switch (i % 4) {
            case 0 -> bytes(random);
            case 1 -> pieces(random);
            default -> mutated(random);
          };
      try {
        Expression expression = Expression.compile(source);
        compiled++;
        boolean first = expression.holds(FACTS);
        assertThat(expression.holds(FACTS)).isEqualTo(first);
      } catch (ExpressionFault fault) {
        assertThat(fault.column()).isBetween(1, source.length() + 1);
      } catch (EvaluationFault fault) {
        assertThat(fault.column()).isBetween(1, source.length());
      } catch (RuntimeException | Error e) {
        throw new AssertionError("source " + source, e);
      }
    }
    assertThat(compiled).as("compiles enough to be worth it").isGreaterThan(2_000);
  }

  private static String bytes(Random random) {
    var bytes = new byte[random.nextInt(60)];
    random.nextBytes(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String pieces(Random random) {
    var source = new StringBuilder();
    for (int i = random.nextInt(40); i >= 0; i--) {
      source.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return source.toString();
  }

  private static String mutated(Random random) {
    var source = new StringBuilder(SEEDS.get(random.nextInt(SEEDS.size())));
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(source.length() + 1);
      int end = Math.min(source.length(), at + random.nextInt(6));
      switch (random.nextInt(4)) {
        case 0 -> source.delete(at, end);
        case 1 -> source.insert(at, PIECES.get(random.nextInt(PIECES.size())));
        case 2 -> source.insert(at, source.substring(at, end));
        default -> source.replace(at, end, PIECES.get(random.nextInt(PIECES.size())));
      }
    }
    return source.toString();
  }
}
