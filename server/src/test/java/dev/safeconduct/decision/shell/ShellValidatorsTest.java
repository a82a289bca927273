package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Given;
import dev.safeconduct.decision.Validator;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.Calls;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class ShellValidatorsTest {
  @ParameterizedTest
  @CsvFileSource(
      resources = "/cases/shell/validators.csv",
      delimiter = '§',
      quoteCharacter = '^',
      numLinesToSkip = 1)
  void judges(String name, String limits, String context, boolean passes) {
    Validator validator = Objects.requireNonNull(ShellValidators.all().get("validate" + name));
    assertThat(Given.passes(validator, context, limits)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvFileSource(
      resources = "/cases/shell/sensitive.csv",
      delimiter = '§',
      quoteCharacter = '^',
      numLinesToSkip = 1)
  void watchesSensitivePaths(String limits, String context, boolean passes) {
    Validator validator =
        Objects.requireNonNull(ShellValidators.all().get("validateBlockedPatterns"));
    assertThat(Given.passes(validator, context, limits)).isEqualTo(passes);
  }

  /** Lines with {@code \n} and {@code \r} for what they name; no fault means a closed line. */
  @ParameterizedTest
  @CsvFileSource(
      resources = "/cases/shell/closed.csv",
      delimiter = '§',
      quoteCharacter = '^',
      ignoreLeadingAndTrailingWhitespace = false,
      numLinesToSkip = 1)
  void namesTheFirstConstructOutsideTheGrammar(String line, @Nullable String fault) {
    String text = line.replace("\\n", "\n").replace("\\r", "\r");
    assertThat(new ClosedLexer(text, Set.of("E")).read().fault())
        .isEqualTo(Optional.ofNullable(fault));
  }

  @Test
  void argumentsWithoutACommandStartNothing() {
    JsonObject context = Calls.json("{'args': ['status']}");
    assertThat(ClosedLine.read(context).fault()).contains("args without a command");
    assertThat(StartedPrograms.of(context)).isEmpty();
  }
}
