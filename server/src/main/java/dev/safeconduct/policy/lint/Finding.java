package dev.safeconduct.policy.lint;

import java.util.Optional;

/**
 * A part of an expression that follows the grammar but is certainly a mistake.
 *
 * @param column its place in the source, counted in UTF-16 units from 1
 * @param suggestion the likely intended text
 */
record Finding(int column, String message, Optional<String> suggestion) {
  static Finding of(int column, String message) {
    return new Finding(column, message, Optional.empty());
  }

  static Finding of(int column, String message, String suggestion) {
    return new Finding(
        column, message, suggestion.isEmpty() ? Optional.empty() : Optional.of(suggestion));
  }
}
