package dev.safeconduct.policy.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.CaseFile;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/** The cases of {@code cases.json} (what expressions mean) and {@code mistakes.json}. */
final class ExpressionCasesTest {
  @TestFactory
  Stream<DynamicContainer> meaning() throws Exception {
    return CaseFile.objects("expression/cases.json").stream()
        .map(group -> dynamicContainer(group.string("about").orElseThrow(), tests(group)));
  }

  private static List<DynamicTest> tests(JsonObject group) {
    FactSource facts = FixedFacts.of(group);
    var tests = new ArrayList<DynamicTest>();
    for (String source : sources(group, "passes")) {
      add(tests, "passes", source, () -> assertThat(compiled(source).holds(facts)).isTrue());
    }
    for (String source : sources(group, "fails")) {
      add(tests, "fails", source, () -> assertThat(compiled(source).holds(facts)).isFalse());
    }
    for (String source : sources(group, "undefined")) {
      add(tests, "is undefined", source, () -> assertThat(value(source, facts)).isNull());
    }
    for (String source : sources(group, "faults")) {
      add(
          tests,
          "fails with a fault",
          source,
          () -> assertFault(compiled(source), facts, source.length()));
    }
    group
        .object("values")
        .orElse(JsonObject.EMPTY)
        .forEach((source, want) ->
            add(tests, "is " + want, source, () -> assertSame(value(source, facts), want)));
    return tests;
  }

  @TestFactory
  Stream<DynamicTest> mistakes() throws Exception {
    return CaseFile.objects("expression/mistakes.json").stream()
        .map(mistake -> {
          String source = mistake.string("source").orElseThrow();
          return dynamicTest(
              "[" + source + "]",
              () -> {
                var fault =
                    catchThrowableOfType(ExpressionFault.class, () -> Expression.compile(source));
                assertThat(fault).isNotNull();
                assertThat(fault).hasMessageContaining(mistake.string("says").orElseThrow());
                assertThat(new JsonNumber(fault.column())).isEqualTo(mistake.get("column"));
              });
        });
  }

  private static void add(
      List<DynamicTest> tests, String claim, String source, Executable executable) {
    tests.add(dynamicTest(source + " " + claim, executable));
  }

  private static void assertFault(Expression expression, FactSource facts, int length) {
    assertThatThrownBy(() -> expression.holds(facts))
        .isInstanceOfSatisfying(
            EvaluationFault.class,
            fault -> {
              assertThat(fault.column()).isBetween(1, length);
              assertThat(fault.getStackTrace()).isEmpty();
              assertThat(fault.getMessage()).isNotBlank();
            });
  }

  private static void assertSame(@Nullable JsonValue value, JsonValue want) {
    if (value instanceof JsonNumber number && want instanceof JsonNumber expected) {
      assertThat(number.value() == expected.value()).as("%s is %s", value, want).isTrue();
    } else {
      assertThat(value).isEqualTo(want);
    }
  }

  private static @Nullable JsonValue value(String source, FactSource facts) throws Exception {
    return compiled(source).evaluate(facts, new Budget());
  }

  private static Expression compiled(String source) throws ExpressionFault {
    return Expression.compile(source);
  }

  private static List<String> sources(JsonObject group, String name) {
    return group.array(name).orElse(JsonArray.EMPTY).strings().toList();
  }
}
