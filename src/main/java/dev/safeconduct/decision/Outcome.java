package dev.safeconduct.decision;

import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.Condition;
import java.util.List;

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
  }

  record Deny(Reason reason, List<Condition> conditions, List<Check> trace) implements Outcome {
    public Deny {
      conditions = List.copyOf(conditions);
      trace = List.copyOf(trace);
    }
  }
}
