package dev.safeconduct.policy.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds of source and evaluation, each at its edge and beyond. */
final class BudgetTest {
  private static final int MEBI = 1 << 20;

  @Test
  void aSourceHasAtMostAThousandCharacters() {
    assertThatCode(() -> Expression.compile("1" + " ".repeat(999))).doesNotThrowAnyException();
    assertMistake("1" + " ".repeat(1000), "longer than 1000 characters");
  }

  @Test
  void nestingEndsAtThirtyTwoLevels() {
    assertThatCode(() -> Expression.compile(nested("(", "1", ")", 32))).doesNotThrowAnyException();
    assertMistake(nested("(", "1", ")", 33), "nested deeper than 32 levels");
    assertMistake(nested("[", "1", "]", 33), "nested deeper than 32 levels");
    assertMistake(nested("!", "1", "", 33), "nested deeper than 32 levels");
    assertMistake(nested("-", "1", "", 33), "nested deeper than 32 levels");
    assertMistake(nested("absent(", "1", ")", 33), "nested deeper than 32 levels");
    assertMistake(nested("context[", "1", "]", 33), "nested deeper than 32 levels");
    assertMistake(nested("[1].some(a => ", "1", ")", 33), "nested deeper than 32 levels");
  }

  @Test
  void aChainDoesNotNest() throws Exception {
    assertThat(Expression.compile("1" + "+1".repeat(499)).number(with(list(0)))).hasValue(500);
    assertThat(Expression.compile("1" + "&&1".repeat(333)).holds(with(list(0)))).isTrue();
    assertThat(Expression.compile("![" + "[],".repeat(300) + "1]").holds(with(list(0)))).isFalse();
  }

  @Test
  void anArrayOfTenThousandIsScannedAndNoLonger() throws Exception {
    assertThat(holds("!context.list.includes(5)", list(10_000))).isTrue();
    assertThat(holds("allow(context.list, '1')", list(10_000))).isFalse();
    assertFault("context.list.includes(1)", list(10_001), "more than 10000 elements");
    assertFault("context.list.some(x => true)", list(10_001), "more than 10000 elements");
    assertFault("!allow(context.list, '1')", list(10_001), "more than 10000 elements");
    assertFault("!block(context.list, '1')", list(10_001), "more than 10000 elements");
    assertFault("context.list.split(',')", text(",".repeat(10_000)), "more than 10000 elements");
    assertFault("context.list.split('')", text("a".repeat(10_001)), "more than 10000 elements");
    assertThat(holds("context.list.length === 10001", list(10_001))).isTrue();
  }

  @Test
  void evaluationEndsAtTenThousandSteps() throws Exception {
    assertThat(holds("context.list.every(x => x === 1)", list(4_999))).isTrue();
    assertFault("context.list.every(x => x === 1)", list(5_000), "more than 10000 steps");
    assertFault("context.list.every(x => context.list.every(y => true))", list(200), "10000 steps");
  }

  @Test
  void theClockEndsAnEvaluationThatIsSlow() throws Exception {
    Expression expression = Expression.compile("context.list.every(x => x === 1)");
    var slow = new AtomicLong(Long.MAX_VALUE - 5);
    assertThatThrownBy(() ->
            expression.evaluate(with(list(4_000)), new Budget(() -> slow.getAndAdd(26_000_000))))
        .isInstanceOf(EvaluationFault.class)
        .hasMessageContaining("longer than 50 ms");
    var fast = new AtomicLong(Long.MAX_VALUE - 5);
    assertThatCode(() ->
            expression.evaluate(with(list(4_000)), new Budget(() -> fast.getAndAdd(1_000_000))))
        .doesNotThrowAnyException();
  }

  @Test
  void theRulesOfARequestShareItsSteps() throws Exception {
    Expression expression = Expression.compile("context.list.every(x => x === 1)");
    var request = new Budget();
    for (int i = 0; i < 10; i++) {
      expression.evaluate(with(list(4_990)), request.next());
    }
    assertThat(request.spent()).isBetween(99_000, Budget.MOST_REQUEST_STEPS);
    assertThatThrownBy(() -> expression.evaluate(with(list(4_990)), request.next()))
        .isInstanceOf(OverBudgetException.class)
        .hasMessage("the request needs more than 100000 steps");
    assertThatThrownBy(() -> request.next().charge(Long.MAX_VALUE))
        .isInstanceOf(OverBudgetException.class);
  }

  @Tag("timing")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "context.many.map(x => context.big + context.big).length",
        "context.many.map(x => context.big.toUpperCase()).length",
        "context.many.map(x => context.big.replace('a', 'b')).length",
        "context.many.map(x => context.big.trim()).length",
        "context.many.map(x => context.big.split('a')).length",
        "context.many.map(x => context.commas.split(',')).length",
        "context.many.every(x => context.big === context.twin)",
        "context.many.every(x => !context.big.includes(context.needle))",
        "context.many.every(x => context.big.startsWith(context.twin))",
        "context.many.every(x => context.many.includes(context.big) || true)",
        "context.many.every(x => !block([context.accents], context.accents + 'b'))",
        "context.many.every(x => allow([context.big], context.twin))",
      })
  void largeDataSpendsTheBudgetQuickly(String source) throws Exception {
    String run = "a".repeat(4 * MEBI);
    JsonObject context =
        JsonObject.builder()
            .put("many", list(9_000))
            .put("big", run)
            .put("twin", "a".repeat(4 * MEBI))
            .put("needle", "a".repeat(MEBI) + "b")
            .put("commas", ",".repeat(9_999))
            .put("accents", "é".repeat(MEBI))
            .build();
    Expression expression = Expression.compile(source);
    FactSource facts = new FixedFacts(JsonObject.EMPTY, context, JsonObject.EMPTY);
    EvaluationFault fault =
        WallClock.within(
            Duration.ofSeconds(10),
            () -> catchThrowableOfType(EvaluationFault.class, () -> expression.holds(facts)));
    assertThat(fault).isNotNull();
  }

  @Tag("timing")
  @Test
  void aHostileSearchStaysLinear() throws Exception {
    JsonObject context =
        JsonObject.builder()
            .put("big", "a".repeat(8 * MEBI))
            .put("needle", "a".repeat(MEBI) + "b")
            .put("found", "a".repeat(MEBI))
            .build();
    FactSource facts = new FixedFacts(JsonObject.EMPTY, context, JsonObject.EMPTY);
    Expression absent = Expression.compile("context.big.includes(context.needle)");
    Expression present = Expression.compile("(context.big).includes(context.found)");
    assertThat(WallClock.within(Duration.ofSeconds(5), () -> absent.holds(facts))).isFalse();
    assertThat(present.holds(facts)).isTrue();
  }

  private static void assertMistake(String source, String message) {
    assertThatThrownBy(() -> Expression.compile(source))
        .isInstanceOf(ExpressionFault.class)
        .hasMessageContaining(message);
  }

  private static void assertFault(String source, JsonValue list, String message)
      throws ExpressionFault {
    Expression expression = Expression.compile(source);
    assertThatThrownBy(() -> expression.holds(with(list)))
        .isInstanceOf(EvaluationFault.class)
        .hasMessageContaining(message);
  }

  private static boolean holds(String source, JsonValue list) throws Exception {
    return Expression.compile(source).holds(with(list));
  }

  private static FactSource with(JsonValue list) {
    return new FixedFacts(
        JsonObject.EMPTY, JsonObject.builder().put("list", list).build(), JsonObject.EMPTY);
  }

  private static JsonArray list(int size) {
    return new JsonArray(Collections.nCopies(size, new JsonNumber(1)));
  }

  private static JsonString text(String text) {
    return new JsonString(text);
  }

  private static String nested(String open, String inner, String close, int levels) {
    return open.repeat(levels) + inner + close.repeat(levels);
  }
}
