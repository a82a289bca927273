package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonValue;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The functions of {@code state}; an absent name or key is a fault, never a separate counter. */
public enum StateFunction {
  DAY_SUM("daySum", 2, 2) {
    @Override
    JsonValue answer(Run run, List<Code> arguments, int column) throws EvaluationFault {
      String name = text(run, arguments, 0, column);
      String key = key(run, arguments, 1, column);
      return Semantics.finite(run.facts.state().daySum(name, key), column);
    }
  },
  DAY_COUNT("dayCount", 1, 1) {
    @Override
    JsonValue answer(Run run, List<Code> arguments, int column) throws EvaluationFault {
      return Semantics.finite(run.facts.state().dayCount(text(run, arguments, 0, column)), column);
    }
  },
  WINDOW_COUNT("windowCount", 2, 3) {
    @Override
    JsonValue answer(Run run, List<Code> arguments, int column) throws EvaluationFault {
      String name = text(run, arguments, 0, column);
      int seconds = seconds(arguments.get(1).run(run), column);
      String key = arguments.size() > 2 ? key(run, arguments, 2, column) : "";
      return Semantics.finite(run.facts.state().windowCount(name, seconds, key), column);
    }
  },
  SEEN_KEY("seenKey", 1, 1) {
    @Override
    JsonValue answer(Run run, List<Code> arguments, int column) throws EvaluationFault {
      return JsonBoolean.of(run.facts.state().seenKey(key(run, arguments, 0, column)));
    }
  },
  SET_HAS("setHas", 2, 2) {
    @Override
    JsonValue answer(Run run, List<Code> arguments, int column) throws EvaluationFault {
      String set = text(run, arguments, 0, column);
      String member = key(run, arguments, 1, column);
      return JsonBoolean.of(run.facts.state().setHas(set, member));
    }
  };

  private final String spelling;
  private final int least;
  private final int most;

  StateFunction(String spelling, int least, int most) {
    this.spelling = spelling;
    this.least = least;
    this.most = most;
  }

  abstract JsonValue answer(Run run, List<Code> arguments, int column) throws EvaluationFault;

  Code compiled(List<Code> given, int column) throws ExpressionFault {
    Arity.check("state." + spelling, least, most, given.size(), column);
    List<Code> arguments = List.copyOf(given);
    return run -> {
      run.step(column);
      return answer(run, arguments, column);
    };
  }

  static Optional<StateFunction> of(String name) {
    return Stream.of(values()).filter(function -> function.spelling.equals(name)).findFirst();
  }

  /** Returns the counter that the call reads, if its name is a literal. */
  public static Optional<CounterRead> read(Syntax.MethodCall call) {
    Optional<StateFunction> function = of(call.name());
    if (function.isEmpty() || call.arguments().size() < function.get().least) {
      return Optional.empty();
    }
    if (function.get() == SEEN_KEY) {
      return Optional.of(
          new CounterRead(call.column(), State.KEYS, CounterRead.Kind.KEY, /* seconds= */ 0));
    }
    CounterRead.Kind kind =
        switch (function.get()) {
          case WINDOW_COUNT -> CounterRead.Kind.WINDOW;
          case SET_HAS -> CounterRead.Kind.SET;
          default -> CounterRead.Kind.DAY;
        };
    int seconds =
        kind == CounterRead.Kind.WINDOW
                && call.arguments().get(1) instanceof Syntax.Literal(_, JsonNumber number)
            ? (int) number.value()
            : 0;
    return NameScope.literal(call.arguments().getFirst())
        .map(name -> new CounterRead(call.column(), name, kind, seconds));
  }

  static List<String> names() {
    return Stream.of(values()).map(function -> function.spelling).toList();
  }

  String text(Run run, List<Code> arguments, int index, int column) throws EvaluationFault {
    return Semantics.text(
        arguments.get(index).run(run), "argument " + (index + 1) + " of state." + spelling, column);
  }

  String key(Run run, List<Code> arguments, int index, int column) throws EvaluationFault {
    return Semantics.key(
        arguments.get(index).run(run), "argument " + (index + 1) + " of state." + spelling, column);
  }

  private static int seconds(@Nullable JsonValue value, int column) throws EvaluationFault {
    if (value instanceof JsonNumber number
        && number.value() >= 1
        && number.value() <= Integer.MAX_VALUE
        && Math.rint(number.value()) == number.value()) {
      return (int) number.value();
    }
    throw Semantics.mismatch(
        value, "argument 2 of state.windowCount", "a whole number of seconds", column);
  }
}
