package dev.safeconduct.policy.lint;

import dev.safeconduct.policy.expression.CounterRead;
import dev.safeconduct.policy.expression.Hints;
import dev.safeconduct.policy.expression.NameScope;
import dev.safeconduct.policy.expression.Operator;
import dev.safeconduct.policy.expression.Parser;
import dev.safeconduct.policy.expression.StateFunction;
import dev.safeconduct.policy.expression.Syntax;
import dev.safeconduct.policy.lint.Inspection.Seen;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Inspects an expression once, node by node, with the knowledge at each. */
final class Inspector {
  private static final String LENGTH = "length";

  private final List<Inspection.Finding> findings;
  private final List<CounterRead> reads;
  private final FunctionInspector functions = new FunctionInspector(this);
  private final MethodInspector methods = new MethodInspector(this);

  final NameScope scope = new NameScope();

  /** Above 0 inside code that is never evaluated, where only wrong names are reported. */
  private int unreachable;

  Inspector(List<Inspection.Finding> findings, List<CounterRead> reads) {
    this.findings = findings;
    this.reads = reads;
  }

  Seen see(Syntax syntax, TypeEnvironment k) {
    return switch (syntax) {
      case Syntax.Literal(_, var value) -> Seen.of(ValueSet.of(value), false, k);
      case Syntax.Name(_, String name) -> known(syntax, k.root(scope.root(name)), false, k);
      case Syntax.Member(int column, Syntax target, String name) ->
          member(syntax, see(target, k), target, name, column, k);
      case Syntax.Index index -> index(index, k);
      case Syntax.MethodCall call when scope.isRoot(call.target(), "state") -> {
        call.arguments().forEach(argument -> see(argument, k));
        StateFunction.read(call).ifPresent(reads::add);
        yield Seen.of(
            call.name().equals("seenKey") || call.name().equals("setHas")
                ? ValueSet.BOOLEAN
                : ValueSet.of(new Numbers(0, Double.POSITIVE_INFINITY, false)),
            true,
            k);
      }
      case Syntax.MethodCall call -> methods.of(call, k);
      case Syntax.FunctionCall call -> functions.of(call, k);
      case Syntax.Lambda _ -> throw new IllegalStateException("the compiler refuses it here");
      case Syntax.Not(_, Syntax operand) -> {
        Seen seen = see(operand, k);
        yield new Seen(
            ValueSet.truth(seen.falsy() != null, seen.truthy() != null),
            seen.mayFail(),
            /* truthy= */ seen.falsy(),
            /* falsy= */ seen.truthy());
      }
      case Syntax.Negation(int column, Syntax operand) -> {
        Seen seen = see(operand, k);
        demand(seen.values(), seen.values().numbers().isPresent(), operand, column, "be negated");
        ValueSet negated =
            ValueSet.NONE.withNumbers(
                seen.values().numbers().map(n -> new Numbers(-n.most(), -n.least(), n.whole())));
        yield Seen.of(negated, seen.mayFail() || !isOnlyNumbers(seen.values()), k);
      }
      case Syntax.Infix infix -> infix(infix, k);
      case Syntax.Listing(_, List<Syntax> elements) -> listing(elements, k);
    };
  }

  private Seen infix(Syntax.Infix infix, TypeEnvironment k) {
    return switch (infix.operator()) {
      case AND -> {
        Seen left = see(infix.left(), k);
        Seen right = reached(infix.right(), left.truthy(), k);
        yield new Seen(
            left.values().falsy().or(right.values()),
            left.mayFail() || right.mayFail(),
            right.truthy(),
            TypeEnvironment.either(left.falsy(), right.falsy()));
      }
      case OR -> {
        Seen left = see(infix.left(), k);
        Seen right = reached(infix.right(), left.falsy(), k);
        yield new Seen(
            left.values().truthy().or(right.values()),
            left.mayFail() || right.mayFail(),
            TypeEnvironment.either(left.truthy(), right.truthy()),
            right.falsy());
      }
      case IDENTICAL, NOT_IDENTICAL, EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST ->
          new Comparisons(this, k).of(infix, see(infix.left(), k), see(infix.right(), k));
      case PLUS, MINUS, TIMES, DIVIDED_BY -> arithmetic(infix, k);
    };
  }

  /** Inspects an operand that is evaluated only in some cases. */
  private Seen reached(Syntax operand, @Nullable TypeEnvironment then, TypeEnvironment otherwise) {
    if (then != null) {
      return see(operand, then);
    }
    unreachable++;
    see(operand, otherwise);
    unreachable--;
    return new Seen(ValueSet.NONE, false, null, null);
  }

  private Seen arithmetic(Syntax.Infix infix, TypeEnvironment k) {
    Seen left = see(infix.left(), k);
    Seen right = see(infix.right(), k);
    Arithmetic.Result result = Arithmetic.of(infix.operator(), left.values(), right.values());
    if (result.values().isEmpty() && !left.values().isEmpty() && !right.values().isEmpty()) {
      report(
          infix.column(),
          infix.operator().symbol
              + " always fails here: the left side is "
              + left.values().words()
              + ", the right side "
              + right.values().words());
    }
    return Seen.of(result.values(), left.mayFail() || right.mayFail() || result.mayFail(), k);
  }

  private Seen listing(List<Syntax> elements, TypeEnvironment k) {
    ValueSet all = ValueSet.NONE;
    boolean mayFail = false;
    for (Syntax element : elements) {
      Seen seen = see(element, k);
      all = all.or(seen.values());
      mayFail |= seen.mayFail();
    }
    return Seen.of(
        ValueSet.of(new ValueSet.Arrays(all, elements.size(), elements.size())), mayFail, k);
  }

  private Seen index(Syntax.Index index, TypeEnvironment k) {
    Seen target = see(index.target(), k);
    Seen key = see(index.key(), k);
    Optional<String> name = NameScope.literal(index.key());
    if (name.isPresent()) {
      return Parser.isForbidden(name.get())
          ? Seen.of(ValueSet.UNDEFINED, target.mayFail() || target.values().mayBeAbsent(), k)
          : member(index, target, index.target(), name.get(), index.column(), k);
    }
    if (key.values().strings().isEmpty() && !key.values().isEmpty()) {
      report(
          index.column(),
          "[…] reads a member by its name and the key is "
              + key.values().words()
              + ", so this is always undefined");
      return Seen.of(ValueSet.ANY, true, k);
    }
    ValueSet read = ValueSet.UNDEFINED;
    Optional<ValueSet.Objects> objects = target.values().objects();
    if (key.values().strings().isPresent() && objects.isPresent()) {
      read = read.or(objects.get().rest());
      for (ValueSet member : objects.get().members().values()) {
        read = read.or(member);
      }
    }
    if (target.values().strings().isPresent() || target.values().arrays().isPresent()) {
      read = read.or(ValueSet.of(new Numbers(0, Double.POSITIVE_INFINITY, true)));
    }
    return Seen.of(read, target.mayFail() || key.mayFail() || target.values().mayBeAbsent(), k);
  }

  private Seen member(
      Syntax node, Seen target, Syntax owner, String name, int column, TypeEnvironment k) {
    ValueSet of = target.values();
    ValueSet read = memberOf(of, name);
    int before = findings.size();
    if (!of.isEmpty()) {
      if (of.present().isEmpty()) {
        report(
            column,
            scope.shown(owner) + " is always absent here, so reading " + name + " always fails");
      } else {
        memberFinding(this, of, owner, name, column).ifPresent(findings::add);
      }
    }
    // Report each mistake once: treat its result as any value.
    ValueSet values = findings.size() > before ? ValueSet.ANY : read;
    return known(node, values, target.mayFail() || of.mayBeAbsent(), k);
  }

  /**
   * Returns a value with the knowledge about its path, which the value's truthiness narrows
   * further.
   */
  Seen known(Syntax node, ValueSet values, boolean mayFail, TypeEnvironment k) {
    Optional<List<String>> path = scope.path(node);
    if (path.isEmpty()) {
      return Seen.of(values, mayFail, k);
    }
    ValueSet here = k.at(path.get(), values);
    return new Seen(
        here, mayFail, k.with(path.get(), here.truthy()), k.with(path.get(), here.falsy()));
  }

  /** Returns the knowledge if the node has one of the values; Java {@code null} if impossible. */
  @Nullable TypeEnvironment narrowed(TypeEnvironment k, Syntax node, ValueSet values) {
    if (values.isEmpty()) {
      return null;
    }
    Optional<List<String>> path = scope.path(node);
    return path.isEmpty() ? k : k.with(path.get(), values);
  }

  /** Returns the declared values of an operand, before any narrowing. */
  ValueSet declared(Syntax operand, ValueSet seen, TypeEnvironment k) {
    Optional<List<String>> path = scope.path(operand);
    if (path.isEmpty()) {
      return seen;
    }
    ValueSet at = k.root(path.get().getFirst());
    for (String name : path.get().subList(1, path.get().size())) {
      ValueSet read = memberOf(at, name);
      at = at.mayBeAbsent() ? read.orUndefined() : read;
    }
    return at;
  }

  /** Inspects a lambda's body for a parameter with any of the values. */
  Seen body(Syntax.Lambda lambda, ValueSet parameter, TypeEnvironment k) {
    String root = scope.enter(lambda.parameter());
    Seen seen = see(lambda.body(), k.knowing(root, parameter));
    scope.leave();
    return seen;
  }

  static boolean isOnlyNumbers(ValueSet values) {
    return values.equals(ValueSet.NONE.withNumbers(values.numbers()));
  }

  /** Reports an operand that can have no value of the required kind. */
  void demand(ValueSet values, boolean fits, Syntax operand, int column, String purpose) {
    if (!fits && !values.isEmpty()) {
      String what = values.present().isEmpty() ? "always absent here" : values.present().words();
      report(column, scope.shown(operand) + " is " + what + ", which cannot " + purpose);
    }
  }

  void report(int column, String message) {
    if (unreachable == 0) {
      findings.add(Inspection.Finding.of(column, message));
    }
  }

  void report(int column, String message, String suggestion) {
    if (unreachable == 0) {
      findings.add(Inspection.Finding.of(column, message, suggestion));
    }
  }

  /** Reports a wrong name, even in unreachable code. */
  void tellName(Inspection.Finding finding) {
    findings.add(finding);
  }

  static Set<String> names(ValueSet.Objects objects) {
    return new TreeSet<>(objects.members().keySet());
  }

  /** Returns the member's possible values if reading it does not fail. */
  static ValueSet memberOf(ValueSet target, String name) {
    ValueSet read = ValueSet.NONE;
    if (target.objects().isPresent()) {
      read = read.or(target.objects().get().member(name));
    }
    boolean length = name.equals(LENGTH);
    if (target.strings().isPresent()) {
      Strings texts = target.strings().get();
      read = read.or(length ? size(texts.least(), texts.most()) : ValueSet.UNDEFINED);
    }
    if (target.arrays().isPresent()) {
      ValueSet.Arrays arrays = target.arrays().get();
      read = read.or(length ? size(arrays.least(), arrays.most()) : ValueSet.UNDEFINED);
    }
    return target.numbers().isPresent() || target.yes() || target.no() ? read.orUndefined() : read;
  }

  private static ValueSet size(long least, long most) {
    return ValueSet.of(
        new Numbers(least, most == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : most, true));
  }

  /** Returns why the name is a mistake, if it is. */
  static Optional<Inspection.Finding> memberFinding(
      Inspector inspector, ValueSet target, Syntax owner, String name, int column) {
    Optional<ValueSet.Objects> objects = target.objects();
    ValueSet rest = target.present().withObjects(Optional.empty());
    if (objects.isPresent()) {
      if (!rest.isEmpty()
          || !objects.get().described()
          || objects.get().members().containsKey(name)) {
        return Optional.empty();
      }
      String what =
          inspector
              .scope
              .path(owner)
              .map(path ->
                  switch (String.join(".", path)) {
                    case "context" -> "the pack's context has no field \"" + name + "\"";
                    case "limits" -> "the pack has no limit \"" + name + "\"";
                    default -> inspector.scope.shown(owner) + " has no member \"" + name + "\"";
                  })
              .orElse(inspector.scope.shown(owner) + " has no member \"" + name + "\"");
      return Optional.of(
          Inspection.Finding.of(column, what, Hints.nearest(name, names(objects.get()))));
    }
    boolean sized = rest.strings().isPresent() || rest.arrays().isPresent();
    if (sized && name.equals(LENGTH)) {
      return Optional.empty();
    }
    return Optional.of(
        Inspection.Finding.of(
            column,
            inspector.scope.shown(owner)
                + " is "
                + rest.words()
                + ", which has no member \""
                + name
                + "\", so this is always undefined",
            sized ? Hints.nearest(name, List.of(LENGTH)) : ""));
  }

  /** Computes the possible results of arithmetic on numbers from two ranges. */
  static final class Arithmetic {
    private Arithmetic() {}

    /** The possible results, and whether the calculation may fail. */
    record Result(ValueSet values, boolean mayFail) {}

    static Result of(Operator operator, ValueSet left, ValueSet right) {
      ValueSet yields = ValueSet.NONE;
      boolean mayFail = !isOnlyNumbers(left) || !isOnlyNumbers(right);
      if (left.numbers().isPresent() && right.numbers().isPresent()) {
        Numbers a = left.numbers().get();
        Numbers b = right.numbers().get();
        Optional<Numbers> range = range(operator, a, b);
        yields = yields.withNumbers(range);
        // A result too great for a double is a fault, and so is a division by zero.
        mayFail |= range.isEmpty() || !range.get().isBounded();
        mayFail |= operator == Operator.DIVIDED_BY && b.holds(0);
      }
      if (operator == Operator.PLUS && left.strings().isPresent() && right.strings().isPresent()) {
        Strings a = left.strings().get();
        Strings b = right.strings().get();
        yields =
            yields.withStrings(
                Optional.of(Strings.between(sum(a.least(), b.least()), sum(a.most(), b.most()))));
      }
      return new Result(yields, mayFail);
    }

    private static Optional<Numbers> range(Operator operator, Numbers a, Numbers b) {
      return switch (operator) {
        case PLUS -> corners(a.least() + b.least(), a.most() + b.most());
        case MINUS -> corners(a.least() - b.most(), a.most() - b.least());
        case TIMES ->
            corners(
                a.least() * b.least(),
                a.least() * b.most(),
                a.most() * b.least(),
                a.most() * b.most());
        default -> quotient(a, b);
      };
    }

    private static Optional<Numbers> quotient(Numbers a, Numbers b) {
      if (b.least() == 0 && b.most() == 0) {
        return Optional.empty();
      }
      if (b.least() <= 0 && b.most() >= 0) {
        return Optional.of(Numbers.ANY);
      }
      return corners(
          a.least() / b.least(), a.least() / b.most(), a.most() / b.least(), a.most() / b.most());
    }

    /** Returns the range of the corners, as rounding is monotone; any number if it has none. */
    private static Optional<Numbers> corners(double... corners) {
      if (DoubleStream.of(corners).anyMatch(Double::isNaN)) {
        return Optional.of(Numbers.ANY);
      }
      return Numbers.between(
          DoubleStream.of(corners).min().orElseThrow(),
          DoubleStream.of(corners).max().orElseThrow(),
          false);
    }

    /** Returns the sum of two lengths; the maximum value if it overflows. */
    static long sum(long a, long b) {
      long sum = a + b;
      return sum < 0 ? Long.MAX_VALUE : sum;
    }
  }
}
