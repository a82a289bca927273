package dev.safeconduct.policy.expression;

import dev.safeconduct.policy.expression.Inspection.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the methods of strings and arrays may yield. */
final class MethodInspector {
  /** More elements than this cost so much that an evaluation may run out of steps. */
  private static final long LONG_ARRAY = 64;

  private final Inspector inspector;

  MethodInspector(Inspector inspector) {
    this.inspector = inspector;
  }

  Seen of(Syntax.MethodCall call, Knowledge k) {
    Method method = Method.of(call.name()).orElseThrow();
    Seen target = inspector.see(call.target(), k);
    Values of = target.values();
    if (method.takesLambda()) {
      return lambda(method, call, target, k);
    }
    var arguments = new ArrayList<Seen>();
    boolean mayFail = target.mayFail();
    boolean fails = of.isEmpty();
    for (Syntax argument : call.arguments()) {
      Seen seen = inspector.see(argument, k);
      arguments.add(seen);
      mayFail |= seen.mayFail();
      fails |= seen.values().isEmpty();
    }
    if (method == Method.INCLUDES) {
      return fails
          ? new Seen(Values.NONE, true, null, null)
          : includes(call, of, arguments.getFirst().values(), k).after(mayFail);
    }
    inspector.demand(
        of,
        of.strings().isPresent(),
        call.target(),
        call.column(),
        "do " + method.spelling + ", which strings have");
    boolean sure = isOnlyStrings(of) && !isLong(of);
    for (int i = 0; i < arguments.size(); i++) {
      Values argument = arguments.get(i).values();
      inspector.demand(
          argument,
          argument.strings().isPresent(),
          call.arguments().get(i),
          call.column(),
          "be the argument of " + method.spelling + ", which takes a string");
      sure &= isOnlyStrings(argument) && !isLong(argument);
      fails |= argument.strings().isEmpty();
    }
    if (fails || of.strings().isEmpty()) {
      return new Seen(Values.NONE, true, null, null);
    }
    return Seen.of(yields(method), mayFail || !sure || method == Method.SPLIT, k);
  }

  private static Values yields(Method method) {
    return switch (method) {
      case STARTS_WITH, ENDS_WITH -> Values.BOOLEAN;
      case SPLIT -> Values.of(new Values.Arrays(Values.STRING, 0, Long.MAX_VALUE));
      default -> Values.STRING;
    };
  }

  private Seen includes(Syntax.MethodCall call, Values of, Values wanted, Knowledge k) {
    inspector.demand(
        of,
        of.strings().isPresent() || of.arrays().isPresent(),
        call.target(),
        call.column(),
        "do includes, which strings and arrays have");
    boolean mayHold = false;
    Knowledge holds = k;
    if (of.strings().isPresent()) {
      if (of.arrays().isEmpty()) {
        inspector.demand(
            wanted,
            wanted.strings().isPresent(),
            call.arguments().getFirst(),
            call.column(),
            "be a part of a string");
      }
      mayHold = wanted.strings().isPresent();
    }
    boolean listed = false;
    if (of.arrays().isPresent()) {
      Values common = wanted.scalars().and(of.arrays().get().elements());
      mayHold |= !common.isEmpty() && of.arrays().get().most() > 0;
      if (of.strings().isEmpty()) {
        holds = inspector.narrowed(k, call.arguments().getFirst(), common);
        if (common.isEmpty()) {
          inspector.tell(
              call.column(),
              "includes never holds here: what is looked for is "
                  + wanted.words()
                  + ", and no element is one");
        }
        listed = of.present().equals(of) && listsAll(call.target(), wanted);
      }
    }
    boolean mayFail =
        of.mayBeAbsent()
            || !isOnlyTextsOrLists(of)
            || (of.strings().isPresent() && !isOnlyStrings(wanted))
            || isLong(of)
            || of.arrays().filter(arrays -> arrays.most() > LONG_ARRAY).isPresent();
    if (!mayHold) {
      holds = null;
    }
    boolean fits = of.strings().isPresent() || of.arrays().isPresent();
    Knowledge not = listed || !fits ? null : k;
    return new Seen(Values.truth(holds != null, not != null), mayFail, holds, not);
  }

  /** Whether a list written out has every text the value may be. */
  private static boolean listsAll(Syntax list, Values wanted) {
    if (!(list instanceof Syntax.Listing(_, List<Syntax> elements)) || !isOnlyStrings(wanted)) {
      return false;
    }
    Optional<Set<String>> known = wanted.strings().map(Strings::known);
    var literals = new TreeSet<String>();
    elements.forEach(element -> Scope.literal(element).ifPresent(literals::add));
    return known.filter(literals::containsAll).isPresent();
  }

  private Seen lambda(Method method, Syntax.MethodCall call, Seen target, Knowledge k) {
    Values of = target.values();
    inspector.demand(
        of,
        of.arrays().isPresent(),
        call.target(),
        call.column(),
        "do " + method.spelling + ", which arrays have");
    Values.Arrays arrays = of.arrays().orElse(Values.Arrays.ANY);
    boolean none = of.arrays().isPresent() && arrays.most() == 0;
    Seen body = inspector.body((Syntax.Lambda) call.arguments().getFirst(), arrays.elements(), k);
    if (of.arrays().isEmpty()) {
      return new Seen(Values.NONE, true, null, null);
    }
    boolean mayFail =
        target.mayFail()
            || !of.equals(Values.NONE.withArrays(of.arrays()))
            || (!none && body.mayFail())
            || arrays.most() > LONG_ARRAY / 4
            || inspector.scope.depth() > 0;
    boolean filled = arrays.least() > 0;
    Values yields =
        switch (method) {
          case SOME ->
              Values.truth(!none && body.truthy() != null, !filled || body.falsy() != null);
          case EVERY ->
              Values.truth(!filled || body.truthy() != null, !none && body.falsy() != null);
          case FILTER -> Values.of(new Values.Arrays(arrays.elements(), 0, arrays.most()));
          default ->
              filled && body.values().isEmpty()
                  ? Values.NONE
                  : Values.of(new Values.Arrays(body.values(), arrays.least(), arrays.most()));
        };
    return Seen.of(yields, mayFail, k);
  }

  static boolean isOnlyStrings(Values values) {
    return values.equals(Values.NONE.withStrings(values.strings()));
  }

  private static boolean isOnlyTextsOrLists(Values values) {
    return values.equals(Values.NONE.withStrings(values.strings()).withArrays(values.arrays()));
  }

  private static boolean isLong(Values values) {
    return values.strings().filter(t -> t.most() > Comparisons.LONG_TEXT).isPresent();
  }
}
