package dev.safeconduct.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that runs for many random inputs. Its one parameter is the {@link RandomCase} that they
 * are drawn from.
 *
 * <p>{@code make test} draws the same inputs at every run. {@code make fuzz} draws others, for as
 * long as it is told. A failure names the seed that repeats its case.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Test
@Tag("random")
@ExtendWith(RandomCases.class)
public @interface RandomTest {
  /** How many cases {@code make test} runs. */
  int cases() default 1000;
}
