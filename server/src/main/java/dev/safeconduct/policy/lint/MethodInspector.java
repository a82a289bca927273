package dev.safeconduct.policy.lint;

import dev.safeconduct.policy.expression.Method;
import dev.safeconduct.policy.expression.NameScope;
import dev.safeconduct.policy.expression.Syntax;
import dev.safeconduct.policy.lint.Inspection.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Computes the possible results of the methods of strings and arrays. */
record MethodInspector(Inspector inspector) {
  /** The length above which arrays cost so much that an evaluation may run out of steps. */
  private static final long LONG_ARRAY = 64;

  Seen of(Syntax.MethodCall call, TypeEnvironment k) {
    Method method = Method.of(call.name()).orElseThrow();
    Seen target = inspector.see(call.target(), k);
    ValueSet of = target.values();
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
          ? new Seen(ValueSet.NONE, true, null, null)
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
      ValueSet argument = arguments.get(i).values();
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
      return new Seen(ValueSet.NONE, true, null, null);
    }
    return Seen.of(yields(method), mayFail || !sure || method == Method.SPLIT, k);
  }

  private static ValueSet yields(Method method) {
    return switch (method) {
      case STARTS_WITH, ENDS_WITH -> ValueSet.BOOLEAN;
      case SPLIT -> ValueSet.of(new ValueSet.Arrays(ValueSet.STRING, 0, Long.MAX_VALUE));
      default -> ValueSet.STRING;
    };
  }

  private Seen includes(Syntax.MethodCall call, ValueSet of, ValueSet wanted, TypeEnvironment k) {
    inspector.demand(
        of,
        of.strings().isPresent() || of.arrays().isPresent(),
        call.target(),
        call.column(),
        "do includes, which strings and arrays have");
    boolean mayHold = false;
    TypeEnvironment holds = k;
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
      ValueSet common = wanted.scalars().and(of.arrays().get().elements());
      mayHold |= !common.isEmpty() && of.arrays().get().most() > 0;
      if (of.strings().isEmpty()) {
        holds = inspector.narrowed(k, call.arguments().getFirst(), common);
        if (common.isEmpty()) {
          inspector.report(
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
    TypeEnvironment not = listed || !fits ? null : k;
    return new Seen(ValueSet.truth(holds != null, not != null), mayFail, holds, not);
  }

  /** Returns whether a literal list contains every text the value may be. */
  private static boolean listsAll(Syntax list, ValueSet wanted) {
    if (!(list instanceof Syntax.Listing(_, List<Syntax> elements)) || !isOnlyStrings(wanted)) {
      return false;
    }
    Optional<Set<String>> known = wanted.strings().map(Strings::known);
    var literals = new TreeSet<String>();
    elements.forEach(element -> NameScope.literal(element).ifPresent(literals::add));
    return known.filter(literals::containsAll).isPresent();
  }

  private Seen lambda(Method method, Syntax.MethodCall call, Seen target, TypeEnvironment k) {
    ValueSet of = target.values();
    inspector.demand(
        of,
        of.arrays().isPresent(),
        call.target(),
        call.column(),
        "do " + method.spelling + ", which arrays have");
    ValueSet.Arrays arrays = of.arrays().orElse(ValueSet.Arrays.ANY);
    boolean none = of.arrays().isPresent() && arrays.most() == 0;
    Seen body = inspector.body((Syntax.Lambda) call.arguments().getFirst(), arrays.elements(), k);
    if (of.arrays().isEmpty()) {
      return new Seen(ValueSet.NONE, true, null, null);
    }
    boolean mayFail =
        target.mayFail()
            || !of.equals(ValueSet.NONE.withArrays(of.arrays()))
            || (!none && body.mayFail())
            || arrays.most() > LONG_ARRAY / 4
            || inspector.scope.depth() > 0;
    boolean filled = arrays.least() > 0;
    ValueSet yields =
        switch (method) {
          case SOME ->
              ValueSet.truth(!none && body.truthy() != null, !filled || body.falsy() != null);
          case EVERY ->
              ValueSet.truth(!filled || body.truthy() != null, !none && body.falsy() != null);
          case FILTER -> ValueSet.of(new ValueSet.Arrays(arrays.elements(), 0, arrays.most()));
          default ->
              filled && body.values().isEmpty()
                  ? ValueSet.NONE
                  : ValueSet.of(new ValueSet.Arrays(body.values(), arrays.least(), arrays.most()));
        };
    return Seen.of(yields, mayFail, k);
  }

  static boolean isOnlyStrings(ValueSet values) {
    return values.equals(ValueSet.NONE.withStrings(values.strings()));
  }

  private static boolean isOnlyTextsOrLists(ValueSet values) {
    return values.equals(ValueSet.NONE.withStrings(values.strings()).withArrays(values.arrays()));
  }

  private static boolean isLong(ValueSet values) {
    return values.strings().filter(t -> t.most() > Comparisons.LONG_TEXT).isPresent();
  }
}
