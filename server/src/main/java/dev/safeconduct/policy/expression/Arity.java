package dev.safeconduct.policy.expression;

/** The number of arguments a function or method takes. */
final class Arity {
  private Arity() {}

  static void check(String name, int least, int most, int given, int column)
      throws ExpressionFault {
    if (given < least || given > most) {
      throw new ExpressionFault(
          name + " takes " + wanted(least, most) + ", found " + given, column);
    }
  }

  private static String wanted(int least, int most) {
    String noun = least == 1 && most == 1 ? " argument" : " arguments";
    if (least == most) {
      return (least == 0 ? "no" : least) + noun;
    }
    return most == Integer.MAX_VALUE ? "at least " + least + noun : least + " to " + most + noun;
  }
}
