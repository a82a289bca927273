package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses tokens by the grammar of the language, one method per level. */
public final class Parser {
  /**
   * The maximum nesting depth of parentheses, brackets, calls, lambdas and signs. Chains such as
   * {@code a && b && c} do not nest.
   */
  static final int MAX_DEPTH = 32;

  private static final Set<String> FORBIDDEN = Set.of("__proto__", "prototype", "constructor");
  private static final Set<String> LITERALS = Set.of("true", "false", "null", "undefined");

  private final List<Token> tokens;
  private int at;
  private int depth;

  private Parser(List<Token> tokens) {
    this.tokens = tokens;
  }

  public static Syntax parse(String source) throws ExpressionFault {
    var parser = new Parser(Lexer.tokens(source));
    Syntax whole = parser.expression();
    Token rest = parser.peek();
    if (rest.kind() != Token.Kind.END) {
      throw new ExpressionFault("unexpected " + rest.shown(), parser.hint(), rest.column());
    }
    return whole;
  }

  /** Returns a hint for the unexpected word and the word before it, as in {@code NOT x}. */
  private String hint() {
    String here = Hints.forWord(peek().text());
    return here.isEmpty() && at > 0 ? Hints.forWord(tokens.get(at - 1).text()) : here;
  }

  /** Returns whether reading a member of this name is always forbidden. */
  public static boolean isForbidden(String name) {
    return FORBIDDEN.contains(name);
  }

  private Syntax expression() throws ExpressionFault {
    return infix(0);
  }

  private Syntax infix(int level) throws ExpressionFault {
    if (level > Operator.HIGHEST) {
      return unary();
    }
    Syntax left = infix(level + 1);
    Optional<Operator> operator = Operator.of(peek(), level);
    while (operator.isPresent()) {
      int column = next().column();
      left = new Syntax.Infix(column, operator.get(), left, infix(level + 1));
      operator = Operator.of(peek(), level);
      if (level == Operator.COMPARISON && operator.isPresent()) {
        throw new ExpressionFault(
            "comparisons do not chain; use && or parentheses", peek().column());
      }
    }
    return left;
  }

  private Syntax unary() throws ExpressionFault {
    Token sign = peek();
    if (!sign.is("!") && !sign.is("-")) {
      return postfix();
    }
    next();
    enter(sign);
    Syntax operand = unary();
    depth--;
    return sign.is("!")
        ? new Syntax.Not(sign.column(), operand)
        : new Syntax.Negation(sign.column(), operand);
  }

  private Syntax postfix() throws ExpressionFault {
    Syntax target = primary();
    while (true) {
      Token token = peek();
      if (token.is(".")) {
        next();
        Token name = name("a name after '.'");
        target =
            peek().is("(")
                ? new Syntax.MethodCall(name.column(), target, name.text(), arguments())
                : new Syntax.Member(name.column(), target, name.text());
      } else if (token.is("[")) {
        next();
        enter(token);
        target = new Syntax.Index(token.column(), target, expression());
        close("]");
      } else {
        return target;
      }
    }
  }

  private List<Syntax> arguments() throws ExpressionFault {
    enter(next());
    var arguments = new ArrayList<Syntax>();
    if (!peek().is(")")) {
      arguments.add(argument());
      while (peek().is(",")) {
        next();
        arguments.add(argument());
      }
    }
    close(")");
    return arguments;
  }

  private Syntax argument() throws ExpressionFault {
    boolean bare = isName(at) && isSymbol(at + 1, "=>");
    boolean wrapped =
        isSymbol(at, "(") && isName(at + 1) && isSymbol(at + 2, ")") && isSymbol(at + 3, "=>");
    if (!bare && !wrapped) {
      return expression();
    }
    int first = wrapped ? at + 1 : at;
    Token parameter = tokens.get(first);
    allowed(parameter);
    if (LITERALS.contains(parameter.text())) {
      throw new ExpressionFault(
          parameter.shown() + " cannot name a lambda parameter", parameter.column());
    }
    at = first + (wrapped ? 3 : 2);
    return new Syntax.Lambda(parameter.column(), parameter.text(), expression());
  }

  private Syntax primary() throws ExpressionFault {
    Token token = next();
    return switch (token.kind()) {
      case NUMBER -> new Syntax.Literal(token.column(), new JsonNumber(token.number()));
      case STRING -> new Syntax.Literal(token.column(), new JsonString(token.text()));
      case NAME -> word(token);
      case SYMBOL -> {
        if (token.is("(")) {
          enter(token);
          Syntax inner = expression();
          close(")");
          yield inner;
        }
        if (token.is("[")) {
          yield listing(token);
        }
        throw new ExpressionFault(
            "expected a value, found " + token.shown() + Hints.forSymbol(token.text()),
            token.column());
      }
      case END -> throw new ExpressionFault("expected a value, found the end", token.column());
    };
  }

  private Syntax word(Token token) throws ExpressionFault {
    int column = token.column();
    return switch (token.text()) {
      case "true" -> new Syntax.Literal(column, JsonBoolean.TRUE);
      case "false" -> new Syntax.Literal(column, JsonBoolean.FALSE);
      case "null" -> new Syntax.Literal(column, JsonNull.NULL);
      case "undefined" -> new Syntax.Literal(column, null);
      default -> {
        allowed(token);
        yield peek().is("(")
            ? new Syntax.FunctionCall(column, token.text(), arguments())
            : new Syntax.Name(column, token.text());
      }
    };
  }

  private Syntax listing(Token open) throws ExpressionFault {
    enter(open);
    var elements = new ArrayList<Syntax>();
    if (!peek().is("]")) {
      elements.add(expression());
      while (peek().is(",")) {
        next();
        elements.add(expression());
      }
    }
    close("]");
    return new Syntax.Listing(open.column(), elements);
  }

  private Token name(String expected) throws ExpressionFault {
    Token token = next();
    if (token.kind() != Token.Kind.NAME) {
      throw new ExpressionFault(
          "expected " + expected + ", found " + token.shown(), token.column());
    }
    allowed(token);
    return token;
  }

  private static void allowed(Token name) throws ExpressionFault {
    if (isForbidden(name.text())) {
      throw new ExpressionFault("the name " + name.shown() + " is forbidden", name.column());
    }
  }

  private void enter(Token token) throws ExpressionFault {
    if (++depth > MAX_DEPTH) {
      throw new ExpressionFault("nested deeper than " + MAX_DEPTH + " levels", token.column());
    }
  }

  private void close(String symbol) throws ExpressionFault {
    Token token = peek();
    if (!token.is(symbol)) {
      throw new ExpressionFault(
          "expected '" + symbol + "', found " + token.shown(), hint(), token.column());
    }
    next();
    depth--;
  }

  private boolean isName(int index) {
    return index < tokens.size() && tokens.get(index).kind() == Token.Kind.NAME;
  }

  private boolean isSymbol(int index, String symbol) {
    return index < tokens.size() && tokens.get(index).is(symbol);
  }

  private Token peek() {
    return tokens.get(at);
  }

  /** Consumes the next token; the end token is never consumed. */
  private Token next() {
    Token token = tokens.get(at);
    if (token.kind() != Token.Kind.END) {
      at++;
    }
    return token;
  }
}
