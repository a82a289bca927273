package dev.safeconduct.testkit;

import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Runs a {@link RandomTest} case by case.
 *
 * <ul>
 *   <li>{@code -Dsafeconduct.seed=N}: the seed that all cases are made of; fixed when not given.
 *   <li>{@code -Dsafeconduct.fuzz=SECONDS}: run each test for so long, not for a number of cases.
 *   <li>{@code -Dsafeconduct.case=N}: run the one case with this seed, as a failure names it.
 * </ul>
 */
final class RandomCases implements ParameterResolver, InvocationInterceptor {
  private static final long SEED = Long.getLong("safeconduct.seed", 20261122);
  private static final @Nullable Long CASE = Long.getLong("safeconduct.case");
  private static final Duration FUZZ = Duration.ofSeconds(Long.getLong("safeconduct.fuzz", 0));

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == RandomCase.class;
  }

  @Override
  public RandomCase resolveParameter(ParameterContext parameter, ExtensionContext test) {
    return new RandomCase(SEED); // stands for the cases, which are made below
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> once,
      ReflectiveInvocationContext<Method> call,
      ExtensionContext test) {
    once.skip();
    Method method = call.getExecutable();
    Object target = call.getTarget().orElseThrow();
    if (CASE != null) {
      run(method, target, new RandomCase(CASE), "The case");
      return;
    }
    long start = System.nanoTime();
    int cases = method.getAnnotation(RandomTest.class).cases();
    for (int i = 0; i == 0 || goesOn(i, cases, start); i++) {
      run(method, target, new RandomCase(seed(method, i)), "Case " + (i + 1));
    }
  }

  private static boolean goesOn(int done, int cases, long start) {
    return FUZZ.isZero() ? done < cases : System.nanoTime() - start < FUZZ.toNanos();
  }

  /** Seeds that follow on each other would begin alike. */
  private static long seed(Method method, int number) {
    long seed = SEED + method.toString().hashCode() + number * 0x9E3779B97F4A7C15L;
    seed = (seed ^ (seed >>> 30)) * 0xBF58476D1CE4E5B9L;
    seed = (seed ^ (seed >>> 27)) * 0x94D049BB133111EBL;
    return seed ^ (seed >>> 31);
  }

  private static void run(Method method, Object target, RandomCase random, String name) {
    try {
      ReflectionSupport.invokeMethod(method, target, random);
    } catch (Throwable failure) {
      throw new AssertionError(
          """
          %s failed: %s
          with %s
          To repeat it: mvn test -Dtest=%s#%s -Dsafeconduct.case=%d\
          """
              .formatted(
                  name,
                  failure,
                  random,
                  method.getDeclaringClass().getSimpleName(),
                  method.getName(),
                  random.seed()),
          failure);
    }
  }
}
