package dev.safeconduct.policy.expression;

import java.util.Optional;

/**
 * Something in an expression that cannot be meant, although it follows the grammar.
 *
 * @param column where it stands in the source, counted in UTF-16 units from 1
 * @param suggestion what was probably meant
 */
public record Finding(int column, String message, Optional<String> suggestion) {
  static Finding of(int column, String message) {
    return new Finding(column, message, Optional.empty());
  }

  static Finding of(int column, String message, String suggestion) {
    return new Finding(
        column, message, suggestion.isEmpty() ? Optional.empty() : Optional.of(suggestion));
  }
}
