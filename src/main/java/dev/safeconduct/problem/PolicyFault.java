package dev.safeconduct.problem;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * One thing that is wrong with a policy pack.
 *
 * @param field where it stands in the pack's document, for example {@code
 *     evaluation_rules[2].condition}; empty for the document as a whole
 * @param rule the name of the rule it belongs to
 * @param column where it stands in the text of an expression, counted in UTF-16 units from 1
 * @param message what is wrong
 * @param suggestion what was probably meant
 */
public record PolicyFault(
    String field,
    Optional<String> rule,
    OptionalInt column,
    String message,
    Optional<String> suggestion) {

  /** A fault of the document, outside its rules. */
  public static PolicyFault at(String field, String message) {
    return new PolicyFault(field, Optional.empty(), OptionalInt.empty(), message, Optional.empty());
  }

  /** The same fault with what was probably meant, if anything is near. */
  public PolicyFault suggesting(String meant) {
    return new PolicyFault(field, rule, column, message, Optional.of(meant));
  }

  /** The same fault as one of the rule. */
  public PolicyFault of(String ruleName) {
    return new PolicyFault(field, Optional.of(ruleName), column, message, suggestion);
  }

  /** The same fault at a column of an expression's text. */
  public PolicyFault at(int place) {
    return new PolicyFault(field, rule, OptionalInt.of(place), message, suggestion);
  }

  /** The fault as one line for people. */
  public String text() {
    StringBuilder line = new StringBuilder();
    if (rule.isPresent()) {
      line.append("rule ").append(rule.get());
      int dot = field.indexOf("].");
      if (dot >= 0) {
        line.append(", ").append(field, dot + 2, field.length());
      }
    } else {
      line.append(field);
    }
    column.ifPresent(place -> line.append(", column ").append(place));
    line.append(line.isEmpty() ? "" : ": ").append(message);
    suggestion.ifPresent(meant -> line.append("; did you mean ").append(meant).append('?'));
    return line.toString();
  }
}
