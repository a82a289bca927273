package dev.safeconduct.decision;

import dev.safeconduct.ledger.Charge;
import dev.safeconduct.ledger.CounterPrecondition;
import java.util.List;
import java.util.Optional;
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

  /** Whether the policy allows it, not only observe mode. */
  default boolean isAllowedByPolicy() {
    return this instanceof Allow allow && allow.observed().isEmpty();
  }

  /** Returns the first reason why the policy denies, if observe mode lifted it. */
  Optional<Reason> observed();

  /** Returns the policy's reason, also where observe mode lifts it. */
  default Reason policyReason() {
    return observed().orElse(reason());
  }

  /**
   * An allow, on the condition that its charges are recorded with it.
   *
   * @param lasting the charges of rules that observe mode does not lift; empty without observe mode
   * @param observed why the policy denies what observe mode allows; then it charges only what lasts
   */
  record Allow(
      Reason reason,
      List<CounterPrecondition> conditions,
      List<Charge> charges,
      List<Charge> lasting,
      Optional<Reason> observed,
      List<EvaluatedChecks> evaluated,
      List<Check> trace)
      implements Outcome {
    public Allow {
      conditions = List.copyOf(conditions);
      lasting = List.copyOf(lasting);
      charges = observed.isPresent() ? lasting : List.copyOf(charges);
      evaluated = List.copyOf(evaluated);
      trace = List.copyOf(trace);
    }

    /** Combines two evaluations of the same action. The result allows only if both allow. */
    public Outcome and(Outcome other) {
      List<CounterPrecondition> all = joined(conditions, other.conditions());
      List<EvaluatedChecks> both = joined(evaluated, other.evaluated());
      List<Check> checks = joined(trace, other.trace());
      return switch (other) {
        case Allow allow ->
            new Allow(
                observed.isPresent() ? reason : allow.reason(),
                all,
                joined(charges, allow.charges()),
                joined(lasting, allow.lasting()),
                observed.or(allow::observed),
                both,
                checks);
        case Deny deny -> new Deny(deny.reason(), all, observed.or(deny::observed), both, checks);
      };
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).toList();
    }
  }

  /**
   * A deny.
   *
   * @param observed the first failure, if observe mode lifted it and a later one denies
   */
  record Deny(
      Reason reason,
      List<CounterPrecondition> conditions,
      Optional<Reason> observed,
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
      return new Deny(reason, List.of(), Optional.empty(), List.of(), trace);
    }

    /** Returns the same deny with another reason. */
    public Deny because(Reason other) {
      return new Deny(other, conditions, observed, evaluated, trace);
    }

    /** Returns the same deny after a failure that observe mode lifted. */
    Deny observed(Reason first) {
      return new Deny(reason, conditions, Optional.of(first), evaluated, trace);
    }
  }

  /** Returns the outcome marked as a template's: its reason, checks and trace name the template. */
  default Outcome ofTemplate(String agentId) {
    List<EvaluatedChecks> theirs = evaluated().stream().map(one -> one.of(agentId)).toList();
    List<Check> named = trace().stream().map(check -> check.ofTemplate(agentId)).toList();
    return switch (this) {
      case Allow allow ->
          new Allow(
              allow.observed().isPresent() ? byTemplate(agentId, allow.reason()) : allow.reason(),
              allow.conditions(),
              allow.charges(),
              allow.lasting(),
              allow.observed().map(why -> byTemplate(agentId, why)),
              theirs,
              named);
      case Deny deny ->
          new Deny(
              byTemplate(agentId, deny.reason()),
              deny.conditions(),
              deny.observed().map(why -> byTemplate(agentId, why)),
              theirs,
              named);
    };
  }

  private static Reason byTemplate(String agentId, Reason reason) {
    return new Reason(
        reason.code(), "By its template " + agentId + ": " + reason.message(), reason.rule());
  }
}
