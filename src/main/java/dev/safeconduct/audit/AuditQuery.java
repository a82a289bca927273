package dev.safeconduct.audit;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.problem.Problem;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.function.Function;

/** The query parameters of a listing of audit records, checked. */
record AuditQuery(AuditFilter filter, long before, int limit) {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MOST = 200;

  /** Times further away than this do not fit into milliseconds. */
  private static final long MOST_SECONDS = Long.MAX_VALUE / 1000;

  /** {@code query} gives a parameter's value by name. */
  static AuditQuery parse(Function<String, Optional<String>> query) {
    return new AuditQuery(
        new AuditFilter(
            query
                .apply("kind")
                .map(
                    text -> RecordKind.parse(text).orElseThrow(() -> bad("kind", "a record kind"))),
            query.apply("agent_id").map(text -> AgentId.hosted(text).orElseGet(() -> anyId(text))),
            query.apply("policy_id"),
            query.apply("allow").map(AuditQuery::bool),
            query.apply("code"),
            query.apply("from").map(text -> instant("from", text)),
            query.apply("to").map(text -> instant("to", text))),
        query.apply("cursor").map(AuditQuery::cursor).orElse(Long.MAX_VALUE),
        query.apply("limit").map(AuditQuery::limit).orElse(DEFAULT_LIMIT));
  }

  private static AgentId anyId(String text) {
    if (text.isEmpty() || text.length() > AgentId.MAX_LENGTH) {
      throw bad("agent_id", "1 to 128 characters");
    }
    return new AgentId(text);
  }

  private static boolean bool(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw bad("allow", "true or false");
    };
  }

  private static Instant instant(String name, String text) {
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      if (Math.abs(instant.getEpochSecond()) <= MOST_SECONDS) {
        return instant;
      }
    } catch (DateTimeException e) {
      // Said below.
    }
    throw bad(name, "an ISO 8601 time with a zone, for example 2026-01-31T12:00:00Z");
  }

  private static long cursor(String text) {
    try {
      long index = Long.parseLong(text);
      if (index >= 0) {
        return index;
      }
    } catch (NumberFormatException e) {
      // Said below.
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
      // Said below.
    }
    throw bad("limit", "a number from 1 to " + MOST);
  }

  private static RuntimeException bad(String name, String wanted) {
    return Problem.invalid(name, name + " must be " + wanted + ".").toException();
  }
}
