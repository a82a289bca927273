package dev.safeconduct.decision;

import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.Condition;
import java.util.List;
import java.util.stream.Stream;

/** A bare allow or deny, with what it took for granted about the counters. */
public sealed interface Outcome {
  Reason reason();

  /** What must still hold of the counters when it is recorded. */
  List<Condition> conditions();

  /** The checks made, in order; empty unless they were asked for. */
  List<Check> trace();

  /** Allowed, if the charges are taken with it. */
  record Allow(Reason reason, List<Condition> conditions, List<Charge> charges, List<Check> trace)
      implements Outcome {
    public Allow {
      conditions = List.copyOf(conditions);
      charges = List.copyOf(charges);
      trace = List.copyOf(trace);
    }

    /** What comes of this and another judgement of the same action: an allow if both are. */
    public Outcome and(Outcome other) {
      List<Condition> all = joined(conditions, other.conditions());
      List<Check> checks = joined(trace, other.trace());
      return switch (other) {
        case Allow allow -> new Allow(reason, all, joined(charges, allow.charges()), checks);
        case Deny deny -> new Deny(deny.reason(), all, checks);
      };
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).toList();
    }
  }

  record Deny(Reason reason, List<Condition> conditions, List<Check> trace) implements Outcome {
    public Deny {
      conditions = List.copyOf(conditions);
      trace = List.copyOf(trace);
    }
  }
}
