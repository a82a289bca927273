package dev.safeconduct.error;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * One fault in a policy pack.
 *
 * @param field its location in the pack's document, for example {@code
 *     evaluation_rules[2].condition}; empty for the document as a whole
 * @param rule the name of the rule it belongs to
 * @param column its location in the text of an expression, counted in UTF-16 units from 1
 * @param message the description of the fault
 * @param suggestion the probable intention
 */
public record PolicyFault(
    String field,
    Optional<String> rule,
    OptionalInt column,
    String message,
    Optional<String> suggestion) {

  /** Returns a fault of the document, outside its rules. */
  public static PolicyFault at(String field, String message) {
    return new PolicyFault(field, Optional.empty(), OptionalInt.empty(), message, Optional.empty());
  }

  /** Returns a fault with this message at the same place. */
  public PolicyFault saying(String said) {
    return new PolicyFault(field, rule, column, said, suggestion);
  }

  /** Returns the same fault with a suggestion, if a similar name exists. */
  public PolicyFault suggesting(String meant) {
    return new PolicyFault(field, rule, column, message, Optional.of(meant));
  }

  /** Returns the same fault as a fault of the rule. */
  public PolicyFault of(String ruleName) {
    return new PolicyFault(field, Optional.of(ruleName), column, message, suggestion);
  }

  /** Returns the same fault at a column of an expression's text. */
  public PolicyFault at(int place) {
    return new PolicyFault(field, rule, OptionalInt.of(place), message, suggestion);
  }

  /** Returns the fault as one human-readable line. */
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
