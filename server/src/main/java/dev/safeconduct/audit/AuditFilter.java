package dev.safeconduct.audit;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.ledger.RecordKind;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A filter of audit records; absent parts do not restrict.
 *
 * @param from inclusive
 * @param to exclusive
 * @param agents one of these, at most {@link #MOST_AGENTS}; empty for any
 */
public record AuditFilter(
    Optional<RecordKind> kind,
    Optional<AgentId> agent,
    Optional<String> policyId,
    Optional<Boolean> allow,
    Optional<String> code,
    Optional<Instant> from,
    Optional<Instant> to,
    Set<AgentId> agents) {
  /** More agents than that are not searched for at once. */
  public static final int MOST_AGENTS = 256;

  public static final AuditFilter ALL =
      new AuditFilter(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Set.of());

  public AuditFilter {
    agents = Set.copyOf(agents);
  }

  /** The limit for seconds since 1970 that fit into milliseconds. */
  private static final long MOST_SECONDS = Long.MAX_VALUE / 1000;

  /**
   * Parses the filter from query parameters; {@code query} returns a parameter's value by name.
   *
   * @throws dev.safeconduct.error.ProblemException 400 that names the invalid parameter
   */
  public static AuditFilter parse(Function<String, Optional<String>> query) {
    return new AuditFilter(
        query
            .apply("kind")
            .map(
                text -> RecordKind.parse(text).orElseThrow(() -> bad("kind", "one of " + kinds()))),
        query.apply("agent_id").map(text -> AgentId.hosted(text).orElseGet(() -> anyId(text))),
        query.apply("policy_id"),
        query.apply("allow").map(AuditFilter::bool),
        query.apply("code"),
        query.apply("from").map(text -> instant("from", text)),
        query.apply("to").map(text -> instant("to", text)),
        Set.of());
  }

  /**
   * Returns the agents with one of them repeated, so that few statements differ in the number of
   * their parameters.
   */
  List<AgentId> padded() {
    var padded = new ArrayList<>(agents);
    while (Integer.bitCount(padded.size()) > 1) {
      padded.add(padded.getFirst());
    }
    return padded;
  }

  /** Returns that many parameters, {@code :one0} and so on. */
  static String parameters(int number) {
    return IntStream.range(0, number)
        .mapToObj(i -> ":one" + i)
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private static AgentId anyId(String text) {
    if (text.isEmpty() || text.length() > AgentId.MAX_LENGTH) {
      throw bad("agent_id", "1 to 128 characters");
    }
    return new AgentId(text);
  }

  private static String kinds() {
    return Arrays.stream(RecordKind.values())
        .map(RecordKind::wire)
        .collect(Collectors.joining(", "));
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
      // The exception below reports it.
    }
    throw bad(name, "an ISO 8601 time with a zone, for example 2026-01-31T12:00:00Z");
  }

  private static ProblemException bad(String name, String wanted) {
    return AuditQuery.bad(name, wanted);
  }
}
