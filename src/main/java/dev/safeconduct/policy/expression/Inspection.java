package dev.safeconduct.policy.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What can be proved of an expression without evaluating it, by following it with all the values
 * its facts may have. It errs on one side only: whatever an evaluation can yield is in {@link
 * #values}, and one that cannot fail never does.
 */
public final class Inspection {
  private final Seen seen;
  private final List<Finding> findings;
  private final List<CounterRead> reads;

  private Inspection(Seen seen, List<Finding> findings, List<CounterRead> reads) {
    this.seen = seen;
    this.findings = findings;
    this.reads = reads;
  }

  /**
   * Follows the expression.
   *
   * @throws ExpressionFault when the source does not compile
   */
  public static Inspection of(String source, Knowledge knowledge) throws ExpressionFault {
    var findings = new ArrayList<Finding>();
    var reads = new ArrayList<CounterRead>();
    Seen seen = new Inspector(findings, reads).see(Parser.parse(source), knowledge);
    return new Inspection(seen, findings, reads);
  }

  /** What it may yield; nothing when it always fails. */
  public Values values() {
    return seen.values();
  }

  /** Whether an evaluation may end in a fault. */
  public boolean mayFail() {
    return seen.mayFail();
  }

  /** Whether no facts let it hold. */
  public boolean neverHolds() {
    return seen.truthy() == null;
  }

  /** Whether it holds whatever the facts are. */
  public boolean alwaysHolds() {
    return seen.falsy() == null && seen.truthy() != null && !seen.mayFail();
  }

  /** What is known of the facts once it held; empty when it never does. */
  public Optional<Knowledge> whenItHolds() {
    return Optional.ofNullable(seen.truthy());
  }

  /** What stands in it and cannot be meant. */
  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** The counters it looks at by a name that is written out. */
  public List<CounterRead> counterReads() {
    return List.copyOf(reads);
  }

  /**
   * What was seen of one piece.
   *
   * @param values what it may yield
   * @param mayFail whether it may end in a fault
   * @param truthy what is known when it yielded something truthy; Java {@code null} when it cannot
   * @param falsy likewise for something falsy
   */
  record Seen(
      Values values, boolean mayFail, @Nullable Knowledge truthy, @Nullable Knowledge falsy) {
    /** Of a piece that tells nothing about the facts. */
    static Seen of(Values values, boolean mayFail, Knowledge knowledge) {
      return new Seen(
          values,
          mayFail,
          values.truthy().isEmpty() ? null : knowledge,
          values.falsy().isEmpty() ? null : knowledge);
    }

    /** The same, which may fail if the other may. */
    Seen after(boolean mayFailBefore) {
      return new Seen(values, mayFail || mayFailBefore, truthy, falsy);
    }
  }
}
