package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** A compiled piece of an expression. Its value is Java {@code null} for {@code undefined}. */
@FunctionalInterface
interface Code {
  @Nullable JsonValue run(Run run) throws EvaluationFault;
}
