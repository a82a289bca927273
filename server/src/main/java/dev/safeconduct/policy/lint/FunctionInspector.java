package dev.safeconduct.policy.lint;

import dev.safeconduct.json.Timestamp;
import dev.safeconduct.policy.expression.BuiltIn;
import dev.safeconduct.policy.expression.Hints;
import dev.safeconduct.policy.expression.NameScope;
import dev.safeconduct.policy.expression.Syntax;
import dev.safeconduct.policy.lint.Inspection.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Computes the possible results of the functions called by their bare name. */
record FunctionInspector(Inspector inspector) {
  private static final Set<String> LEVELS = Set.of("L0", "L1", "L2", "L3", "L4", "L4KYC", "L4FIN");
  private static final Set<String> TIERS = Set.of("L2", "L3", "L4KYC");

  Seen of(Syntax.FunctionCall call, TypeEnvironment k) {
    BuiltIn function = BuiltIn.of(call.name()).orElseThrow();
    List<Syntax> arguments = call.arguments();
    var seen = new ArrayList<Seen>();
    boolean mayFail = false;
    boolean fails = false;
    for (Syntax argument : arguments) {
      Seen one = inspector.see(argument, k);
      seen.add(one);
      mayFail |= one.mayFail();
      fails |= one.values().isEmpty();
    }
    // get does not read its keys if the target is absent.
    if (function == BuiltIn.GET ? seen.getFirst().values().isEmpty() : fails) {
      return new Seen(ValueSet.NONE, true, null, null);
    }
    ValueSet first = seen.isEmpty() ? ValueSet.NONE : seen.getFirst().values();
    return switch (function) {
      case ABSENT -> {
        TypeEnvironment holds = inspector.narrowed(k, arguments.getFirst(), first.absent());
        TypeEnvironment not = inspector.narrowed(k, arguments.getFirst(), first.present());
        yield new Seen(ValueSet.truth(holds != null, not != null), mayFail, holds, not);
      }
      case IS_EMPTY -> isEmpty(arguments.getFirst(), first, mayFail, k);
      case HAS_KEY -> {
        ValueSet key = seen.get(1).values();
        demand(call, 0, first, first.objects().isPresent() || isGone(first), "have keys");
        demand(call, 1, key, key.strings().isPresent() || isGone(key), "name a key");
        NameScope.literal(arguments.get(1))
            .flatMap(name ->
                Inspector.memberFinding(
                    inspector, first, arguments.getFirst(), name, call.column()))
            .ifPresent(inspector::tellName);
        yield Seen.of(ValueSet.BOOLEAN, true, k);
      }
      case GET -> get(call, seen, mayFail, k);
      case ALLOW -> {
        demand(call, 0, first, first.arrays().isPresent() || isGone(first), "be a list");
        yield Seen.of(first.arrays().isPresent() ? ValueSet.BOOLEAN : ValueSet.FALSE, true, k);
      }
      case BLOCK -> {
        ValueSet value = seen.get(1).values();
        demand(call, 0, first, first.arrays().isPresent() || isGone(first), "be a list");
        demand(call, 1, value, value.strings().isPresent() || isGone(value), "be a blocked text");
        yield Seen.of(first.arrays().isPresent() ? ValueSet.BOOLEAN : ValueSet.FALSE, true, k);
      }
      case HAS_CAPABILITY -> {
        demand(call, 0, first, first.strings().isPresent(), "be a capability's id");
        yield Seen.of(
            texts(first, ValueSet.BOOLEAN), mayFail || !MethodInspector.isOnlyStrings(first), k);
      }
      case REGION_COVERED -> {
        demand(call, 0, first, first.strings().isPresent() || isGone(first), "be a region");
        ValueSet yields = first.strings().isPresent() ? ValueSet.BOOLEAN : ValueSet.FALSE;
        yield Seen.of(yields, mayFail || !MethodInspector.isOnlyStrings(first.present()), k);
      }
      case RANK -> rank(call, first, k).after(mayFail);
      case TIER -> {
        demand(call, 0, first, first.numbers().isPresent(), "be an amount");
        ValueSet yields =
            first.numbers().isPresent() ? ValueSet.of(Strings.of(TIERS)) : ValueSet.NONE;
        yield Seen.of(yields, mayFail || !Inspector.isOnlyNumbers(first), k);
      }
      case NOW -> Seen.of(ValueSet.of(new Numbers(-1e15, 1e15, false)), false, k);
      case TIMESTAMP -> timestamp(call, first, k).after(mayFail);
    };
  }

  private Seen isEmpty(Syntax argument, ValueSet values, boolean mayFail, TypeEnvironment k) {
    ValueSet blank =
        ValueSet.NONE
            .or(values.absent())
            .withStrings(values.strings())
            .withArrays(values.arrays().filter(arrays -> arrays.least() == 0));
    ValueSet rest =
        values
            .present()
            .withStrings(values.strings().flatMap(texts -> texts.without(Set.of(""))))
            .withArrays(values.arrays().filter(arrays -> arrays.most() > 0));
    TypeEnvironment holds = inspector.narrowed(k, argument, blank);
    TypeEnvironment not = inspector.narrowed(k, argument, rest);
    return new Seen(ValueSet.truth(holds != null, not != null), mayFail, holds, not);
  }

  private Seen get(Syntax.FunctionCall call, List<Seen> seen, boolean mayFail, TypeEnvironment k) {
    ValueSet at = seen.getFirst().values();
    Syntax owner = call.arguments().getFirst();
    for (int i = 1; i < seen.size(); i++) {
      Optional<String> name = NameScope.literal(call.arguments().get(i));
      ValueSet keys = seen.get(i).values();
      demand(call, i, keys, keys.strings().isPresent() || isGone(keys), "name a member");
      ValueSet read =
          at.absent().isEmpty() ? ValueSet.NONE : ValueSet.UNDEFINED; // a null is a gap too
      if (keys.isEmpty() || at.present().isEmpty()) {
        at = read;
        continue;
      }
      if (name.isPresent()) {
        if (i == 1) {
          Inspector.memberFinding(inspector, at, owner, name.get(), call.column())
              .ifPresent(inspector::tellName);
        }
        read = read.or(Inspector.memberOf(at, name.get()));
      } else {
        read = ValueSet.ANY;
      }
      at = read;
    }
    return inspector.known(call, at, mayFail, k);
  }

  private Seen rank(Syntax.FunctionCall call, ValueSet level, TypeEnvironment k) {
    demand(call, 0, level, level.strings().isPresent(), "be an assurance level");
    Optional<Set<String>> known = level.strings().map(Strings::known);
    boolean sure =
        MethodInspector.isOnlyStrings(level) && known.filter(LEVELS::containsAll).isPresent();
    if (known.isPresent() && known.get().stream().noneMatch(LEVELS::contains)) {
      String wrong = known.get().iterator().next();
      inspector.report(
          call.column(),
          "\"" + wrong + "\" is no assurance level",
          Hints.nearest(wrong, new TreeSet<>(LEVELS)));
      return new Seen(ValueSet.NONE, true, null, null);
    }
    return Seen.of(texts(level, ValueSet.of(new Numbers(0, 5, true))), !sure, k);
  }

  private Seen timestamp(Syntax.FunctionCall call, ValueSet time, TypeEnvironment k) {
    demand(call, 0, time, time.strings().isPresent(), "be a time");
    Optional<Set<String>> known = time.strings().map(Strings::known);
    if (known.isPresent()
        && known.get().stream().noneMatch(text -> Timestamp.parse(text).isPresent())) {
      inspector.report(
          call.column(), "this is no date-time such as 2026-01-31T08:00:00Z, so timestamp fails");
      return new Seen(ValueSet.NONE, true, null, null);
    }
    return Seen.of(texts(time, ValueSet.NUMBER), true, k);
  }

  /** Returns whether all values are absent, for which these functions have a result. */
  private static boolean isGone(ValueSet values) {
    return values.present().isEmpty();
  }

  private static ValueSet texts(ValueSet argument, ValueSet yields) {
    return argument.strings().isPresent() ? yields : ValueSet.NONE;
  }

  private void demand(
      Syntax.FunctionCall call, int argument, ValueSet values, boolean fits, String purpose) {
    inspector.demand(values, fits, call.arguments().get(argument), call.column(), purpose);
  }
}
