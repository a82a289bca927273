package dev.safeconduct.policy.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes one random expression twice: as a rule, and as ECMAScript with the wrappers of {@code
 * ecmascript.js}. Data and expressions are typed loosely: a numeric expression may yield anything
 * but a string, a textual one anything but a number. So {@code +} meets mixed operands only where
 * both languages fail, while wrong types still occur everywhere.
 */
public final class RandomExpression {
  private static final int OR = 0;
  private static final int AND = 1;
  private static final int COMPARISON = 2;
  private static final int SUM = 3;
  private static final int PRODUCT = 4;
  private static final int UNARY = 5;
  private static final int POSTFIX = 6;

  /** The same expression in both spellings, and how tightly its outermost operator binds. */
  public record Pair(String rule, String script, int level) {
    Pair in(String before, String after) {
      return new Pair(before + rule + after, before + script + after, POSTFIX);
    }
  }

  private final Random random;
  private final List<String> numbers = new ArrayList<>(RandomFacts.NUMBERS);
  private final List<String> texts = new ArrayList<>(RandomFacts.TEXTS);
  private final List<String> objects = new ArrayList<>(RandomFacts.OBJECTS);

  public RandomExpression(Random random) {
    this.random = random;
  }

  public Pair any(int depth) {
    return switch (random.nextInt(8)) {
      case 0 -> number(depth);
      case 1 -> text(depth);
      case 2 -> list(depth);
      default -> truth(depth);
    };
  }

  private Pair truth(int depth) {
    if (depth <= 0) {
      return plain(oneOf("true", "false", "null", "undefined", "context.b1", "limits.gone"));
    }
    return switch (random.nextInt(14)) {
      case 0, 1 -> infix(OR, "||", any(depth - 1), any(depth - 1));
      case 2, 3 -> infix(AND, "&&", any(depth - 1), any(depth - 1));
      case 4 -> prefix("!", any(depth - 1));
      case 5 -> order(guarded("C", number(depth - 1)), guarded("C", number(depth - 1)));
      case 6 -> order(always("C", any(depth - 1)), always("C", any(depth - 1)));
      case 7 -> same(any(depth - 1), any(depth - 1));
      case 8 -> same(text(depth - 1), text(depth - 1));
      case 9 -> method(text(depth - 1), oneOf("includes", "startsWith", "endsWith"), text(0));
      case 10 -> method(list(depth - 1), "includes", any(depth - 1));
      case 11 -> call(oneOf("absent", "isEmpty"), any(depth - 1));
      default -> lambda(oneOf("some", "every"), depth, Kind.TRUTH);
    };
  }

  private Pair number(int depth) {
    if (depth <= 0 || random.nextInt(4) == 0) {
      return random.nextInt(3) == 0
          ? plain(oneOf("0", "1", "2.5", "10", "1e2", "0.1"))
          : plain(pick(numbers));
    }
    return switch (random.nextInt(8)) {
      case 0, 1 -> arithmetic(SUM, oneOf("+", "-"), number(depth - 1), number(depth - 1));
      case 2 -> arithmetic(PRODUCT, "*", number(depth - 1), number(depth - 1));
      case 3 -> arithmetic(PRODUCT, "/", number(depth - 1), number(depth - 1));
      case 4 -> negation(number(depth - 1));
      case 5 -> infix(OR, "||", number(depth - 1), number(depth - 1));
      case 6 -> target(text(depth - 1)).in("", ".length");
      default -> target(list(depth - 1)).in("", ".length");
    };
  }

  private Pair text(int depth) {
    if (depth <= 0 || random.nextInt(4) == 0) {
      return random.nextInt(3) == 0
          ? plain(oneOf("''", "'a'", "\"b\"", "'ab'", "'*'", "'\\''", "'-'", "'a\\\\\\n'"))
          : plain(pick(texts));
    }
    return switch (random.nextInt(9)) {
      case 0 -> joined(text(depth - 1), text(depth - 1));
      case 1 -> method(text(depth - 1), oneOf("trim", "toLowerCase", "toUpperCase"));
      case 2 -> method(text(depth - 1), "replace", text(0), text(depth - 1));
      case 3 -> infix(OR, "||", text(depth - 1), text(depth - 1));
      case 4 -> infix(AND, "&&", text(depth - 1), text(depth - 1));
      case 5 -> index(plain(pick(objects)), text(depth - 1));
      case 6 -> call("get", plain(pick(objects)), key(), key());
      default -> target(plain(pick(objects))).in("", oneOf(".t", ".deep.t", ".gone.t", ".gone"));
    };
  }

  private Pair key() {
    return plain(oneOf("'t'", "'deep'", "'gone'", "'constructor'", "'toString'", "'length'"));
  }

  private enum Kind {
    TRUTH,
    TEXT,
    ANY
  }

  private Pair list(int depth) {
    if (depth <= 0 || random.nextInt(3) == 0) {
      return plain(oneOf("context.l1", "limits.l1", "context.l2", "context.l3", "limits.l3", "[]"));
    }
    return switch (random.nextInt(5)) {
      case 0 -> text(depth - 1).level() == POSTFIX ? split(depth) : split(0);
      case 1 -> listing(any(depth - 1), text(depth - 1));
      case 2 -> lambda("filter", depth, Kind.TRUTH);
      case 3 -> lambda("map", depth, Kind.TEXT);
      default -> lambda("map", depth, Kind.ANY);
    };
  }

  private Pair split(int depth) {
    return method(text(depth), "split", text(0));
  }

  private Pair lambda(String name, int depth, Kind body) {
    String parameter = oneOf("q", "n", "p", "$x_1", "context");
    List<String> names;
    Pair receiver;
    switch (random.nextInt(3)) {
      case 0 -> {
        receiver = plain(oneOf("context.l1", "limits.l1", "['a', '*', 'b']"));
        names = texts;
      }
      case 1 -> {
        receiver = plain(oneOf("context.l2", "[0, 1, 2.5]"));
        names = numbers;
      }
      default -> {
        receiver = plain(oneOf("context.l3", "limits.l3"));
        names = objects;
      }
    }
    // A parameter named like a root hides it, so nothing else of that root may be typed inside.
    var hidden = List.of(List.copyOf(numbers), List.copyOf(texts), List.copyOf(objects));
    for (List<String> known : List.of(numbers, texts, objects)) {
      known.removeIf(path -> path.equals(parameter) || path.startsWith(parameter + "."));
    }
    for (int i = 0; i < 4; i++) {
      names.add(parameter);
    }
    Pair inner =
        switch (body) {
          case TRUTH -> truth(depth - 1);
          case TEXT -> text(depth - 1);
          case ANY -> any(depth - 1);
        };
    restore(hidden);
    String head = random.nextBoolean() ? parameter : "(" + parameter + ")";
    String arrow = "." + name + "(" + head + " => ";
    return new Pair(
        receiver.rule() + arrow + inner.rule() + ")",
        receiver.script() + arrow + inner.script() + ")",
        POSTFIX);
  }

  private void restore(List<List<String>> names) {
    List<List<String>> live = List.of(numbers, texts, objects);
    for (int i = 0; i < live.size(); i++) {
      live.get(i).clear();
      live.get(i).addAll(names.get(i));
    }
  }

  private Pair order(Pair a, Pair b) {
    return infix(COMPARISON, oneOf("<", "<=", ">", ">="), a, b);
  }

  private Pair same(Pair a, Pair b) {
    return random.nextInt(3) > 0
        ? infix(COMPARISON, oneOf("===", "!=="), guarded("Q", a), guarded("Q", b))
        : infix(COMPARISON, oneOf("==", "!="), always("E", a), always("E", b));
  }

  private Pair arithmetic(int level, String symbol, Pair a, Pair b) {
    Pair right = symbol.equals("/") ? always("Z", b) : guarded("N", b);
    return infix(level, symbol, guarded("N", a), right);
  }

  private Pair joined(Pair a, Pair b) {
    return infix(SUM, "+", guarded("S", a), guarded("S", b));
  }

  private Pair negation(Pair operand) {
    return prefix("- ", guarded("N", operand));
  }

  private Pair index(Pair target, Pair key) {
    return new Pair(
        target.rule() + "[" + key.rule() + "]",
        "I(" + target.script() + ", " + key.script() + ")",
        POSTFIX);
  }

  /** Wraps what could be of any type; what a stronger operator made needs no wrapper. */
  private static Pair guarded(String guard, Pair operand) {
    boolean safe = operand.level() >= SUM && operand.level() <= UNARY;
    return safe ? operand : always(guard, operand);
  }

  /** Wraps the script's side alone, after both sides have the parentheses the rule needs. */
  private static Pair always(String guard, Pair operand) {
    Pair closed = operand.level() < SUM ? operand.in("(", ")") : operand;
    return new Pair(closed.rule(), guard + "(" + closed.script() + ")", closed.level());
  }

  private Pair infix(int level, String symbol, Pair left, Pair right) {
    boolean chains = level != COMPARISON;
    Pair a = left.level() < level || (!chains && left.level() == level) ? closed(left) : left;
    Pair b = right.level() <= level ? closed(right) : right;
    String middle = " " + symbol + " ";
    return new Pair(a.rule() + middle + b.rule(), a.script() + middle + b.script(), level);
  }

  private Pair prefix(String sign, Pair operand) {
    Pair inner = operand.level() < UNARY ? closed(operand) : operand;
    return new Pair(sign + inner.rule(), sign + inner.script(), UNARY);
  }

  private static Pair closed(Pair pair) {
    return pair.in("(", ")");
  }

  private Pair target(Pair pair) {
    boolean digits = Character.isDigit(pair.rule().charAt(0));
    return pair.level() < POSTFIX || digits ? closed(pair) : pair;
  }

  private Pair method(Pair receiver, String name, Pair... arguments) {
    Pair target = target(receiver);
    Pair call = call("." + name, arguments);
    return new Pair(target.rule() + call.rule(), target.script() + call.script(), POSTFIX);
  }

  private static Pair call(String name, Pair... arguments) {
    return commas(arguments).in(name + "(", ")");
  }

  private static Pair listing(Pair... elements) {
    return commas(elements).in("[", "]");
  }

  private static Pair commas(Pair... parts) {
    List<Pair> all = List.of(parts);
    return new Pair(
        String.join(", ", all.stream().map(Pair::rule).toList()),
        String.join(", ", all.stream().map(Pair::script).toList()),
        POSTFIX);
  }

  private static Pair plain(String source) {
    return new Pair(source, source, POSTFIX);
  }

  private String oneOf(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private String pick(List<String> choices) {
    return choices.isEmpty() ? "limits.gone" : choices.get(random.nextInt(choices.size()));
  }
}
