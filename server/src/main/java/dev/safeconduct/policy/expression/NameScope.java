package dev.safeconduct.policy.expression;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The names in scope at one place of an expression, and the paths its nodes read. */
public final class NameScope {
  /** The lambda parameters in scope, outermost first. */
  private final List<String> parameters = new ArrayList<>();

  /** Adds a lambda's parameter to the scope; returns the name for its values. */
  public String enter(String parameter) {
    parameters.add(parameter);
    return key(parameters.size() - 1);
  }

  public void leave() {
    parameters.removeLast();
  }

  public int depth() {
    return parameters.size();
  }

  /** Returns the name for lookups: the name itself for a root, otherwise its lambda's name. */
  public String root(String name) {
    int parameter = parameters.lastIndexOf(name);
    return parameter < 0 ? name : key(parameter);
  }

  /** Returns the path a node reads, from a root or a lambda's parameter. */
  public Optional<List<String>> path(Syntax node) {
    return switch (node) {
      case Syntax.Name(_, String name) -> Optional.of(List.of(root(name)));
      case Syntax.Member(_, Syntax target, String name) -> longer(path(target), name);
      case Syntax.Index(_, Syntax target, Syntax key) ->
          literal(key).flatMap(name -> longer(path(target), name));
      case Syntax.FunctionCall(_, String name, List<Syntax> arguments) when name.equals("get") -> {
        Optional<List<String>> path = path(arguments.getFirst());
        for (Syntax key : arguments.subList(1, arguments.size())) {
          Optional<List<String>> before = path;
          path = literal(key).flatMap(part -> longer(before, part));
        }
        yield path;
      }
      default -> Optional.empty();
    };
  }

  private static Optional<List<String>> longer(Optional<List<String>> path, String name) {
    return path.filter(_ -> !Parser.isForbidden(name))
        .map(parts -> {
          var more = new ArrayList<>(parts);
          more.add(name);
          return List.copyOf(more);
        });
  }

  public static Optional<String> literal(Syntax key) {
    return key instanceof Syntax.Literal(_, var value) && value instanceof JsonString(String text)
        ? Optional.of(text)
        : Optional.empty();
  }

  private static String key(int parameter) {
    return "#" + parameter;
  }

  public boolean isRoot(Syntax syntax, String root) {
    return syntax instanceof Syntax.Name(_, String name)
        && name.equals(root)
        && !parameters.contains(root);
  }

  /** Returns the name for messages of the fact the node reads. */
  public String shown(Syntax node) {
    return switch (node) {
      case Syntax.Name(_, String name) -> name;
      case Syntax.Member(_, Syntax target, String name) -> shown(target) + "." + name;
      case Syntax.FunctionCall(_, String name, _) -> name + "(…)";
      case Syntax.MethodCall(_, Syntax target, String name, _) ->
          shown(target) + "." + name + "(…)";
      case Syntax.Literal(_, JsonString(String text)) -> "'" + text + "'";
      case Syntax.Literal(_, var value) -> value == null ? "undefined" : Json.text(value);
      default -> "this";
    };
  }
}
