package dev.safeconduct.decision;

import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterPrecondition;
import java.util.List;
import java.util.stream.Stream;

/** An unsigned allow or deny, with its assumptions about the counters. */
public sealed interface Outcome {
  Reason reason();

  /** Returns the counter conditions that must still hold when the outcome is recorded. */
  List<CounterPrecondition> conditions();

  /** Returns the evaluated checks, with one element for each evaluated passport. */
  List<EvaluatedChecks> evaluated();

  /** Returns the evaluated checks with their values, in order; empty unless requested. */
  List<Check> trace();

  default boolean isAllow() {
    return this instanceof Allow;
  }

  /** An allow, on the condition that its charges are recorded with it. */
  record Allow(
      Reason reason,
      List<CounterPrecondition> conditions,
      List<Charge> charges,
      List<EvaluatedChecks> evaluated,
      List<Check> trace)
      implements Outcome {
    public Allow {
      conditions = List.copyOf(conditions);
      charges = List.copyOf(charges);
      evaluated = List.copyOf(evaluated);
      trace = List.copyOf(trace);
    }

    /** Combines two evaluations of the same action. The result allows only if both allow. */
    public Outcome and(Outcome other) {
      List<CounterPrecondition> all = joined(conditions, other.conditions());
      List<EvaluatedChecks> both = joined(evaluated, other.evaluated());
      List<Check> checks = joined(trace, other.trace());
      return switch (other) {
        case Allow allow -> new Allow(reason, all, joined(charges, allow.charges()), both, checks);
        case Deny deny -> new Deny(deny.reason(), all, both, checks);
      };
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).toList();
    }
  }

  record Deny(
      Reason reason,
      List<CounterPrecondition> conditions,
      List<EvaluatedChecks> evaluated,
      List<Check> trace)
      implements Outcome {
    public Deny {
      conditions = List.copyOf(conditions);
      evaluated = List.copyOf(evaluated);
      trace = List.copyOf(trace);
    }

    /** Returns a deny before the first check. */
    public static Deny unchecked(Reason reason, List<Check> trace) {
      return new Deny(reason, List.of(), List.of(), trace);
    }

    /** Returns the same deny with another reason. */
    public Deny because(Reason other) {
      return new Deny(other, conditions, evaluated, trace);
    }
  }

  /** Returns the outcome marked as a template's: its reason, checks and trace name the template. */
  default Outcome ofTemplate(String agentId) {
    List<EvaluatedChecks> theirs = evaluated().stream().map(one -> one.of(agentId)).toList();
    List<Check> named = trace().stream().map(check -> check.ofTemplate(agentId)).toList();
    return switch (this) {
      case Allow allow ->
          new Allow(allow.reason(), allow.conditions(), allow.charges(), theirs, named);
      case Deny deny ->
          new Deny(
              new Reason(
                  deny.reason().code(),
                  "By its template " + agentId + ": " + deny.reason().message(),
                  deny.reason().rule()),
              deny.conditions(),
              theirs,
              named);
    };
  }
}
