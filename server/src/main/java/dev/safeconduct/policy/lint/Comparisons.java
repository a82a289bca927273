package dev.safeconduct.policy.lint;

import dev.safeconduct.policy.expression.Hints;
import dev.safeconduct.policy.expression.NameScope;
import dev.safeconduct.policy.expression.Syntax;
import dev.safeconduct.policy.lint.Inspection.Seen;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes the possible results of comparisons, and what they prove about their operands. */
record Comparisons(Inspector inspector, TypeEnvironment k) {
  /** The length above which texts cost so much that an evaluation may run out of steps. */
  static final long LONG_TEXT = 1 << 16;

  Seen of(Syntax.Infix infix, Seen left, Seen right) {
    Seen seen =
        switch (infix.operator()) {
          case IDENTICAL -> same(infix, left, right, false);
          case EQUAL -> same(infix, left, right, true);
          case NOT_IDENTICAL -> turned(same(infix, left, right, false));
          case NOT_EQUAL -> turned(same(infix, left, right, true));
          case LESS -> order(infix, infix.left(), infix.right(), left, right, true);
          case AT_MOST -> order(infix, infix.left(), infix.right(), left, right, false);
          case GREATER -> order(infix, infix.right(), infix.left(), right, left, true);
          case AT_LEAST -> order(infix, infix.right(), infix.left(), right, left, false);
          default -> throw new IllegalStateException("no comparison");
        };
    return seen.after(left.mayFail() || right.mayFail());
  }

  private static Seen turned(Seen seen) {
    return new Seen(
        ValueSet.truth(seen.values().no(), seen.values().yes()),
        seen.mayFail(),
        /* truthy= */ seen.falsy(),
        /* falsy= */ seen.truthy());
  }

  /** Inspects {@code a < b}, or {@code a <= b} when not strict; only numbers are ordered. */
  private Seen order(
      Syntax.Infix infix, Syntax left, Syntax right, Seen a, Seen b, boolean strict) {
    if (!tellNoNumber(infix, left, a.values())) {
      tellNoNumber(infix, right, b.values());
    }
    Optional<Numbers> x = a.values().numbers();
    Optional<Numbers> y = b.values().numbers();
    if (x.isEmpty() || y.isEmpty()) {
      boolean both = !a.values().isEmpty() && !b.values().isEmpty();
      return new Seen(both ? ValueSet.FALSE : ValueSet.NONE, false, null, both ? k : null);
    }
    double most = strict ? Math.nextDown(y.get().most()) : y.get().most();
    double least = strict ? Math.nextUp(x.get().least()) : x.get().least();
    TypeEnvironment holds = k;
    holds = narrowed(holds, left, ValueSet.NONE.withNumbers(x.get().upTo(most)));
    holds = narrowed(holds, right, ValueSet.NONE.withNumbers(y.get().from(least)));
    // If the comparison is false, a number on one side still bounds a number on the other.
    TypeEnvironment fails = k;
    double above = strict ? y.get().least() : Math.nextUp(y.get().least());
    double below = strict ? x.get().most() : Math.nextDown(x.get().most());
    if (Inspector.isOnlyNumbers(b.values())) {
      fails = narrowed(fails, left, a.values().withNumbers(x.get().from(above)));
    }
    if (Inspector.isOnlyNumbers(a.values())) {
      fails = narrowed(fails, right, b.values().withNumbers(y.get().upTo(below)));
    }
    return new Seen(ValueSet.truth(holds != null, fails != null), false, holds, fails);
  }

  private boolean tellNoNumber(Syntax.Infix infix, Syntax operand, ValueSet values) {
    boolean never = values.numbers().isEmpty() && !values.isEmpty();
    if (never) {
      inspector.report(
          infix.column(),
          inspector.scope.shown(operand)
              + " is never a number here, so "
              + infix.operator().symbol
              + " never holds");
    }
    return never;
  }

  /** Inspects {@code a === b}; {@code loose} treats null and undefined as equal. */
  private Seen same(Syntax.Infix infix, Seen left, Seen right, boolean loose) {
    ValueSet a = loosened(left.values().scalars(), loose);
    ValueSet b = loosened(right.values().scalars(), loose);
    if (left.values().isEmpty() || right.values().isEmpty()) {
      return new Seen(ValueSet.NONE, false, null, null);
    }
    ValueSet common = a.and(b);
    neverSame(infix, left.values(), right.values());
    TypeEnvironment equal = narrowed(k, infix.left(), common);
    equal = narrowed(equal, infix.right(), common);
    boolean always = a.equals(b) && a.isOne() && left.values().isOne() && right.values().isOne();
    boolean alwaysLoosely =
        loose && left.values().present().isEmpty() && right.values().present().isEmpty();
    TypeEnvironment different = always || alwaysLoosely ? null : k;
    different = without(different, infix.left(), left.values(), right.values(), loose);
    different = without(different, infix.right(), right.values(), left.values(), loose);
    return new Seen(
        ValueSet.truth(equal != null, different != null), isLong(a) && isLong(b), equal, different);
  }

  private static ValueSet loosened(ValueSet values, boolean loose) {
    return loose && values.mayBeAbsent() ? values.orAbsent() : values;
  }

  private static boolean isLong(ValueSet values) {
    return values.strings().filter(texts -> texts.most() > LONG_TEXT).isPresent();
  }

  /** Narrows an operand that differs from the other operand's only value. */
  private @Nullable TypeEnvironment without(
      @Nullable TypeEnvironment known,
      Syntax operand,
      ValueSet values,
      ValueSet other,
      boolean loose) {
    if (known == null || !other.isOne()) {
      return known;
    }
    boolean absent = other.present().isEmpty();
    ValueSet rest =
        new ValueSet(
            values.undefined() && !(other.undefined() || (loose && absent)),
            values.nil() && !(other.nil() || (loose && absent)),
            values.yes() && !other.yes(),
            values.no() && !other.no(),
            values.numbers(),
            values
                .strings()
                .flatMap(texts ->
                    other
                        .strings()
                        .map(Strings::known)
                        .map(texts::without)
                        .orElse(Optional.of(texts))),
            values.arrays(),
            values.objects());
    return narrowed(known, operand, rest);
  }

  private @Nullable TypeEnvironment narrowed(
      @Nullable TypeEnvironment known, Syntax operand, ValueSet values) {
    return known == null ? null : inspector.narrowed(known, operand, values);
  }

  /** Reports operands that, as declared, can never be equal. */
  private void neverSame(Syntax.Infix infix, ValueSet left, ValueSet right) {
    ValueSet a = inspector.declared(infix.left(), left, k);
    ValueSet b = inspector.declared(infix.right(), right, k);
    ValueSet x = loosened(a.scalars(), true);
    ValueSet y = loosened(b.scalars(), true);
    if (a.isEmpty() || b.isEmpty() || !x.and(y).isEmpty()) {
      return;
    }
    // Checking whether a field is absent is common, even for one that is never absent.
    if (a.present().isEmpty() || b.present().isEmpty()) {
      return;
    }
    String suggestion = "";
    String known = "";
    Optional<Set<String>> these = a.strings().map(Strings::known);
    Optional<Set<String>> those = b.strings().map(Strings::known);
    if (these.isPresent() && those.isPresent()) {
      boolean literal = NameScope.literal(infix.left()).isPresent();
      Set<String> candidates = literal ? those.get() : these.get();
      Set<String> wrong = literal ? these.get() : those.get();
      suggestion =
          wrong.size() == 1 ? quoted(Hints.nearest(wrong.iterator().next(), candidates)) : "";
      known = " (it is one of " + String.join(", ", candidates) + ")";
    }
    inspector.report(
        infix.column(),
        inspector.scope.shown(infix.left())
            + " and "
            + inspector.scope.shown(infix.right())
            + " can never be equal"
            + (known.isEmpty() ? ": the one is " + a.words() + ", the other " + b.words() : known),
        suggestion);
  }

  private static String quoted(String text) {
    return text.isEmpty() ? "" : "'" + text + "'";
  }
}
