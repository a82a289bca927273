package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Resolves every name of a parsed expression and turns its nodes into closures. */
final class Compiler {
  private static final List<String> ROOTS =
      List.of("passport", "context", "limits", "policy", "state");

  /** The lambda parameters in scope, outermost first; a parameter's index is its slot. */
  private final List<String> scope = new ArrayList<>();

  private int slots;
  private final Set<String> limitNames = new TreeSet<>();
  private final Set<String> contextNames = new TreeSet<>();
  private final Set<String> passportNames = new TreeSet<>();
  private final Set<String> wholeRoots = new TreeSet<>();

  private Compiler() {}

  /**
   * The result of compiling a source; {@code slots} is how many lambda parameters are live at once.
   */
  record Program(Code code, int slots, Expression.ReferencedFacts reads) {}

  static Program compile(Syntax syntax) throws ExpressionFault {
    var compiler = new Compiler();
    Code code = compiler.code(syntax);
    return new Program(
        code,
        compiler.slots,
        new Expression.ReferencedFacts(
            compiler.limitNames,
            compiler.contextNames,
            compiler.passportNames,
            compiler.wholeRoots));
  }

  private Code code(Syntax syntax) throws ExpressionFault {
    return switch (syntax) {
      case Syntax.Literal(_, var value) -> _ -> value;
      case Syntax.Name name -> name(name);
      case Syntax.Member(int column, Syntax target, String name) -> {
        noteRead(target, name);
        refuseState(target, column, name);
        Code object = owner(target);
        yield run -> Semantics.member(object.run(run), name, column);
      }
      case Syntax.Index(int column, Syntax target, Syntax key) -> {
        noteRead(target, key);
        Code object = isLiteral(key) ? owner(target) : code(target);
        Code name = code(key);
        yield run -> Semantics.member(object.run(run), name.run(run), column);
      }
      case Syntax.MethodCall call when isRoot(call.target(), "state") -> stateCall(call);
      case Syntax.MethodCall call -> methodCall(call);
      case Syntax.FunctionCall call -> functionCall(call);
      case Syntax.Lambda(int column, _, _) ->
          throw new ExpressionFault(
              "a lambda may only be the argument of some, every, filter or map", column);
      case Syntax.Not(int column, Syntax operand) -> Operations.not(code(operand), column);
      case Syntax.Negation(int column, Syntax operand) ->
          Operations.negation(code(operand), column);
      case Syntax.Infix(int column, Operator operator, Syntax left, Syntax right) ->
          Operations.infix(operator, code(left), code(right), column);
      case Syntax.Listing(_, List<Syntax> elements) -> listing(codes(elements));
    };
  }

  private Code name(Syntax.Name name) throws ExpressionFault {
    int slot = scope.lastIndexOf(name.name());
    if (slot >= 0) {
      return run -> run.parameter(slot);
    }
    if (ROOTS.contains(name.name())) {
      wholeRoots.add(name.name());
    }
    return root(name);
  }

  /** Compiles the owner of a named member. For a root, only that member is recorded as read. */
  private Code owner(Syntax syntax) throws ExpressionFault {
    return syntax instanceof Syntax.Name name && !scope.contains(name.name())
        ? root(name)
        : code(syntax);
  }

  private static Code root(Syntax.Name name) throws ExpressionFault {
    return switch (name.name()) {
      case "passport" -> run -> run.facts.passport();
      case "context" -> run -> run.facts.context();
      case "limits" -> run -> run.facts.limits();
      case "policy" -> run -> run.facts.policy();
      case "state" -> throw stateFault(name.column(), "");
      case String word when BuiltIn.of(word).isPresent() ->
          throw new ExpressionFault(
              word + " is a function and has to be called: " + word + "(…)", name.column());
      case String word -> {
        String near = Hints.forWord(word);
        if (near.isEmpty()) {
          near = Hints.nearest(word, ROOTS);
        }
        throw new ExpressionFault(
            "unknown name '" + word + "'",
            near.isEmpty() ? "context." + word : near,
            name.column());
      }
    };
  }

  private Code methodCall(Syntax.MethodCall call) throws ExpressionFault {
    int column = call.column();
    Optional<Method> found = Method.of(call.name());
    if (found.isEmpty()) {
      throw new ExpressionFault(
          "unknown method '" + call.name() + "'",
          Hints.nearest(call.name(), Method.names()),
          column);
    }
    Method method = found.get();
    Arity.check(method.spelling, method.arity, method.arity, call.arguments().size(), column);
    Code target = code(call.target());
    if (method.takesLambda()) {
      return lambdaCall(method, target, call);
    }
    List<Code> arguments = codes(call.arguments());
    return switch (method) {
      case INCLUDES -> ListMethods.includes(target, arguments.getFirst(), column);
      case STARTS_WITH -> TextMethods.startsWith(target, arguments.getFirst(), column);
      case ENDS_WITH -> TextMethods.endsWith(target, arguments.getFirst(), column);
      case SPLIT -> TextMethods.split(target, arguments.getFirst(), column);
      case REPLACE -> TextMethods.replace(target, arguments.get(0), arguments.get(1), column);
      case TO_LOWER_CASE -> TextMethods.toLowerCase(target, column);
      case TO_UPPER_CASE -> TextMethods.toUpperCase(target, column);
      case TRIM -> TextMethods.trim(target, column);
      case SOME, EVERY, FILTER, MAP -> throw new IllegalStateException();
    };
  }

  private Code lambdaCall(Method method, Code target, Syntax.MethodCall call)
      throws ExpressionFault {
    int column = call.column();
    if (!(call.arguments().getFirst() instanceof Syntax.Lambda lambda)) {
      throw new ExpressionFault(
          method.spelling + " takes a lambda, such as " + method.spelling + "(x => x === 'a')",
          call.arguments().getFirst().column());
    }
    scope.add(lambda.parameter());
    slots = Math.max(slots, scope.size());
    Code body = code(lambda.body());
    scope.removeLast();
    var function = new ListMethods.Function(scope.size(), body);
    return switch (method) {
      case SOME -> ListMethods.some(target, function, column);
      case EVERY -> ListMethods.every(target, function, column);
      case FILTER -> ListMethods.filter(target, function, column);
      default -> ListMethods.map(target, function, column);
    };
  }

  private Code stateCall(Syntax.MethodCall call) throws ExpressionFault {
    Optional<StateFunction> function = StateFunction.of(call.name());
    if (function.isEmpty()) {
      throw stateFault(call.column(), call.name());
    }
    return function.get().compiled(codes(call.arguments()), call.column());
  }

  private Code functionCall(Syntax.FunctionCall call) throws ExpressionFault {
    Optional<BuiltIn> function = BuiltIn.of(call.name());
    if (scope.contains(call.name()) || ROOTS.contains(call.name())) {
      throw new ExpressionFault("'" + call.name() + "' is not a function", call.column());
    }
    if (function.isEmpty()) {
      String near = Hints.forWord(call.name());
      throw new ExpressionFault(
          "unknown function '" + call.name() + "'",
          near.isEmpty() ? Hints.nearest(call.name(), BuiltIn.names()) : near,
          call.column());
    }
    boolean readsMember =
        (function.get() == BuiltIn.GET || function.get() == BuiltIn.HAS_KEY)
            && call.arguments().size() > 1
            && isLiteral(call.arguments().get(1));
    if (!readsMember) {
      return function.get().compiled(codes(call.arguments()), call.column());
    }
    noteRead(call.arguments().get(0), call.arguments().get(1));
    var arguments = new ArrayList<Code>();
    arguments.add(owner(call.arguments().getFirst()));
    arguments.addAll(codes(call.arguments().subList(1, call.arguments().size())));
    return function.get().compiled(arguments, call.column());
  }

  private static Code listing(List<Code> elements) {
    return run -> {
      var collector = new Elements.Collector();
      for (Code element : elements) {
        collector.add(element.run(run));
      }
      return collector.array();
    };
  }

  private List<Code> codes(List<Syntax> all) throws ExpressionFault {
    var codes = new ArrayList<Code>();
    for (Syntax syntax : all) {
      codes.add(code(syntax));
    }
    return codes;
  }

  /** Returns whether a node is the root itself, not a lambda parameter with the same name. */
  private boolean isRoot(Syntax syntax, String root) {
    return syntax instanceof Syntax.Name(_, String name)
        && name.equals(root)
        && !scope.contains(root);
  }

  private void refuseState(Syntax target, int column, String name) throws ExpressionFault {
    if (isRoot(target, "state")) {
      throw stateFault(column, name);
    }
  }

  private static ExpressionFault stateFault(int column, String name) {
    String near = name.isEmpty() ? "" : Hints.nearest(name, StateFunction.names());
    return new ExpressionFault(
        "state has only the functions " + String.join(", ", StateFunction.names()), near, column);
  }

  private static boolean isLiteral(Syntax key) {
    return key instanceof Syntax.Literal(_, JsonValue value) && value instanceof JsonString;
  }

  private void noteRead(Syntax target, Syntax key) {
    if (key instanceof Syntax.Literal(_, JsonValue value) && value instanceof JsonString name) {
      noteRead(target, name.value());
    }
  }

  private void noteRead(Syntax target, @Nullable String name) {
    if (name != null && isRoot(target, "limits")) {
      limitNames.add(name);
    } else if (name != null && isRoot(target, "context")) {
      contextNames.add(name);
    } else if (name != null && isRoot(target, "passport")) {
      passportNames.add(name);
    }
  }
}
