package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The functions called by their bare name. They return false or undefined for absent values and
 * fail for malformed ones. So neither a function nor its negation accepts a bad value.
 */
public enum BuiltIn {
  ABSENT("absent", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code value = arguments.getFirst();
      return run -> JsonBoolean.of(Semantics.absent(value.run(run)));
    }
  },
  IS_EMPTY("isEmpty", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code value = arguments.getFirst();
      return run -> JsonBoolean.of(Lists.isEmpty(value.run(run)));
    }
  },
  HAS_KEY("hasKey", 2, 2) {
    @Override
    Code code(List<Code> arguments, int column) {
      return run ->
          JsonBoolean.of(hasKey(arguments.get(0).run(run), arguments.get(1).run(run), column));
    }
  },
  GET("get", 2, Integer.MAX_VALUE) {
    @Override
    Code code(List<Code> arguments, int column) {
      return run -> {
        JsonValue value = arguments.getFirst().run(run);
        for (int i = 1; i < arguments.size(); i++) {
          if (Semantics.absent(value)) {
            return null; // undefined at a gap, also where the gap is a null
          }
          value = Semantics.own(value, arguments.get(i).run(run), column);
        }
        return value;
      };
    }
  },
  ALLOW("allow", 2, 2) {
    @Override
    Code code(List<Code> arguments, int column) {
      return run ->
          JsonBoolean.of(
              Lists.allow(run, arguments.get(0).run(run), arguments.get(1).run(run), column));
    }
  },
  BLOCK("block", 2, 2) {
    @Override
    Code code(List<Code> arguments, int column) {
      return run ->
          JsonBoolean.of(
              Lists.block(run, arguments.get(0).run(run), arguments.get(1).run(run), column));
    }
  },
  HAS_CAPABILITY("hasCapability", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code id = arguments.getFirst();
      return run -> {
        String wanted = Semantics.text(id.run(run), "the argument of hasCapability", column);
        run.reads("capabilities", column);
        return JsonBoolean.of(run.facts.hasCapability(wanted));
      };
    }
  },
  REGION_COVERED("regionCovered", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code region = arguments.getFirst();
      return run -> {
        JsonValue value = region.run(run);
        run.reads("regions", column);
        return JsonBoolean.of(
            !Semantics.absent(value)
                && run.facts.regionCovered(
                    Semantics.text(value, "the argument of regionCovered", column)));
      };
    }
  },
  RANK("rank", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code level = arguments.getFirst();
      return run -> {
        String name = Semantics.text(level.run(run), "the argument of rank", column);
        OptionalInt rank = run.facts.assuranceRank(name);
        if (rank.isEmpty()) {
          throw new EvaluationFault("unknown assurance level", column);
        }
        return Semantics.finite(rank.getAsInt(), column);
      };
    }
  },
  TIER("tier", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code amount = arguments.getFirst();
      return run -> {
        Optional<String> level =
            run.facts.tier(Semantics.number(amount.run(run), "the argument of tier", column));
        return new JsonString(
            level.orElseThrow(() -> new EvaluationFault("no tier for this amount", column)));
      };
    }
  },
  NOW("now", 0, 0) {
    @Override
    Code code(List<Code> arguments, int column) {
      return run -> Semantics.finite(run.facts.now(), column);
    }
  },
  TIMESTAMP("timestamp", 1, 1) {
    @Override
    Code code(List<Code> arguments, int column) {
      Code time = arguments.getFirst();
      return run -> {
        String text = Semantics.text(time.run(run), "the argument of timestamp", column);
        Optional<Instant> at = Timestamp.parse(text);
        if (at.isEmpty()) {
          throw new EvaluationFault("not a date-time such as 2026-01-31T08:00:00Z", column);
        }
        Instant moment = at.get();
        return Semantics.finite(moment.getEpochSecond() + moment.getNano() / 1e9, column);
      };
    }
  };

  final String spelling;
  private final int least;
  private final int most;

  BuiltIn(String spelling, int least, int most) {
    this.spelling = spelling;
    this.least = least;
    this.most = most;
  }

  abstract Code code(List<Code> arguments, int column);

  /** Returns the function's code after checking the arity; the code charges one step. */
  Code compiled(List<Code> arguments, int column) throws ExpressionFault {
    Arity.check(spelling, least, most, arguments.size(), column);
    Code body = code(List.copyOf(arguments), column);
    return run -> {
      run.step(column);
      return body.run(run);
    };
  }

  public static Optional<BuiltIn> of(String name) {
    return Stream.of(values()).filter(function -> function.spelling.equals(name)).findFirst();
  }

  static List<String> names() {
    return Stream.of(values()).map(function -> function.spelling).toList();
  }

  private static boolean hasKey(@Nullable JsonValue target, @Nullable JsonValue key, int column)
      throws EvaluationFault {
    if (Semantics.absent(target) || Semantics.absent(key)) {
      return false;
    }
    if (!(target instanceof JsonObject object)) {
      throw Semantics.mismatch(target, "the first argument of hasKey", "an object", column);
    }
    String name = Semantics.text(key, "the second argument of hasKey", column);
    return object.has(name);
  }
}
