package dev.safeconduct.audit;

import dev.safeconduct.error.ProblemException;
import java.util.Optional;
import java.util.function.Function;

/** The validated query parameters of a list of audit records. */
public record AuditQuery(AuditFilter filter, ReasonText text, long before, int limit) {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MOST = 200;
  private static final int MOST_WORDS = 200;

  /** Parses the parameters; {@code query} returns a parameter's value by name. */
  public static AuditQuery parse(Function<String, Optional<String>> query) {
    return new AuditQuery(
        AuditFilter.parse(query),
        ReasonText.of(query.apply("q").map(AuditQuery::words).orElse("")),
        query.apply("cursor").map(AuditQuery::cursor).orElse(Long.MAX_VALUE),
        query.apply("limit").map(AuditQuery::limit).orElse(DEFAULT_LIMIT));
  }

  private static String words(String text) {
    if (text.length() > MOST_WORDS) {
      throw bad("q", "at most " + MOST_WORDS + " characters");
    }
    return text;
  }

  static long cursor(String text) {
    try {
      long index = Long.parseLong(text);
      if (index >= 0) {
        return index;
      }
    } catch (NumberFormatException e) {
      // The exception below reports it.
    }
    throw bad("cursor", "a next_cursor of an earlier answer");
  }

  private static int limit(String text) {
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= MOST) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // The exception below reports it.
    }
    throw bad("limit", "a number from 1 to " + MOST);
  }

  static ProblemException bad(String name, String wanted) {
    return ProblemException.invalid(name, name + " must be " + wanted + ".");
  }
}
