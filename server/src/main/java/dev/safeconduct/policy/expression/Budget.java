package dev.safeconduct.policy.expression;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps and the time that one rule may use, and its share of the steps of the whole request.
 *
 * <p>A step is one operation of an expression, or work with the data that takes about as long as a
 * slow one: 5 microseconds. So steps bound the time on every machine alike. The clock ends only
 * what the steps underestimate. All rules of a request, of every evaluation of a batch and of every
 * template, share its steps, because each rule alone may be harmless.
 */
public final class Budget {
  /** The most steps of one rule. */
  public static final int MOST_STEPS = 10_000;

  /** The most steps of one request. */
  public static final int MOST_REQUEST_STEPS = 100_000;

  static final long MOST_NANOS = 50_000_000;

  /** Reading the clock costs as much as a small rule, so short evaluations never read it. */
  private static final int STEPS_BETWEEN_LOOKS = 256;

  private final AtomicInteger spent;
  private final LongSupplier nanos;
  private int steps;
  private int nextLook = STEPS_BETWEEN_LOOKS;
  private long started;
  private boolean timed;

  /** Creates the budget of a request. */
  public Budget() {
    this(System::nanoTime);
  }

  Budget(LongSupplier nanos) {
    this(new AtomicInteger(), nanos);
  }

  private Budget(AtomicInteger spent, LongSupplier nanos) {
    this.spent = spent;
    this.nanos = nanos;
  }

  /** Returns the budget of a further rule of the same request. */
  public Budget next() {
    return new Budget(spent, nanos);
  }

  /** Returns the steps that all rules of the request have used. */
  public int spent() {
    return spent.get();
  }

  /**
   * Spends steps before the work is done.
   *
   * @throws OverBudgetException when there are not enough left
   */
  public void charge(long amount) {
    String over = spend(amount);
    if (over != null) {
      throw new OverBudgetException(over);
    }
  }

  /**
   * Spends steps.
   *
   * @return the bound of this rule that is exceeded, or null
   * @throws OverBudgetException when the request has none left
   */
  @Nullable String spend(long amount) {
    int counted = (int) Math.min(amount, MOST_REQUEST_STEPS);
    steps += counted;
    if (counted > 0 && spent.addAndGet(counted) > MOST_REQUEST_STEPS) {
      spent.set(MOST_REQUEST_STEPS); // It must not overflow.
      throw new OverBudgetException("the request needs more than " + MOST_REQUEST_STEPS + " steps");
    }
    return steps >= nextLook ? look() : null;
  }

  private @Nullable String look() {
    if (steps > MOST_STEPS) {
      return "the rule needs more than " + MOST_STEPS + " steps";
    }
    long now = nanos.getAsLong();
    if (!timed) {
      timed = true;
      started = now;
    } else if (now - started > MOST_NANOS) {
      return "the rule ran longer than 50 ms";
    }
    nextLook = Math.min(steps + STEPS_BETWEEN_LOOKS, MOST_STEPS + 1);
    return null;
  }
}
