package dev.safeconduct.policy.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ExpressionTest {
  private final FactSource facts =
      FixedFacts.of(given("{\"context\": {\"n\": 4, \"s\": \"x\", \"null\": null}}"));

  @Test
  void aNumberIsReadAsOneAndAbsenceAsEmpty() throws Exception {
    assertThat(Expression.compile("context.n * 2").number(facts)).hasValue(8);
    assertThat(Expression.compile("context.gone").number(facts)).isEmpty();
    assertThat(Expression.compile("context.null").number(facts)).isEmpty();
    Expression text = Expression.compile("context.s");
    assertThatThrownBy(() -> text.number(facts))
        .isInstanceOf(EvaluationFault.class)
        .hasMessage("the value must be a number, not a string");
  }

  @Test
  void aTextIsReadAsOneAndAbsenceAsEmpty() throws Exception {
    assertThat(Expression.compile("context.s + 'y'").key(facts)).hasValue("xy");
    assertThat(Expression.compile("context.gone").key(facts)).isEmpty();
    assertThat(Expression.compile("null").key(facts)).isEmpty();
    Expression number = Expression.compile("context.n");
    assertThatThrownBy(() -> number.key(facts))
        .isInstanceOf(EvaluationFault.class)
        .hasMessage("the value must be a string, not a number");
  }

  @Test
  void namesTheLimitsAndContextFieldsItReads() throws Exception {
    Expression expression =
        Expression.compile(
            "limits.b.deep <= context['n'] && get(limits, 'a') && hasKey(limits.c, context.k)"
                + " && [1].some(context => context.hidden) && context[limits.d] && passport.p");
    assertThat(expression.limitNames()).containsExactly("a", "b", "c", "d");
    assertThat(expression.contextNames()).containsExactly("k", "n");
    assertThat(expression.source()).startsWith("limits.b.deep").isEqualTo(expression.toString());
  }

  @Test
  void aFaultTellsWhatWentWrongAndWhere() throws Exception {
    Expression expression = Expression.compile("context.n > 1 && limits.modes.includes('a')");
    assertThatThrownBy(() -> expression.holds(facts))
        .isInstanceOfSatisfying(
            EvaluationFault.class,
            fault -> {
              assertThat(fault)
                  .hasMessage("the receiver of includes must be a string or array, not undefined");
              assertThat(fault.column()).isEqualTo(31);
            });
  }

  static JsonObject given(String json) {
    try {
      return Json.parseObject(json.getBytes(StandardCharsets.UTF_8));
    } catch (Exception e) {
      throw new IllegalArgumentException(e);
    }
  }
}
