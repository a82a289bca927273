package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Expects problems, and reads JSON written with single quotes. */
final class Problems {
  private Problems() {}

  static JsonObject json(String singleQuoted) {
    try {
      return Json.parseObject(singleQuoted.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    } catch (JsonFault e) {
      throw new IllegalArgumentException(singleQuoted, e);
    }
  }

  static void fails(Class<? extends Problem> problem, ThrowingCallable call) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(problem));
  }

  static void conflict(String reason, ThrowingCallable call) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(call)
        .satisfies(e ->
            assertThat(e.problem())
                .isInstanceOfSatisfying(
                    Problem.Conflict.class,
                    conflict -> assertThat(conflict.reason()).isEqualTo(reason)));
  }

  /** Expects a 400 that names the member. */
  static void invalid(String field, ThrowingCallable call) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(call)
        .satisfies(e ->
            assertThat(e.problem())
                .isInstanceOfSatisfying(
                    Problem.InvalidRequest.class,
                    problem -> assertThat(problem.field()).isEqualTo(Optional.of(field))));
  }
}
