package dev.safeconduct.http;

import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.Problem.RateLimited.Limit;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * What a caller has left, as the answer tells it: {@code RateLimit} and {@code RateLimit-Policy}
 * (draft-ietf-httpapi-ratelimit-headers-11), and the older {@code X-RateLimit-*} of the quota that
 * is spent, else of the one that has least left.
 */
public final class Allowance {
  /** Nothing is counted, and nothing is told. */
  public static final Allowance UNLIMITED = new Allowance(List.of());

  private static final HeaderName RATE_LIMIT = HeaderNames.create("RateLimit");
  private static final HeaderName POLICY = HeaderNames.create("RateLimit-Policy");
  private static final HeaderName LIMIT = HeaderNames.create("X-RateLimit-Limit");
  private static final HeaderName REMAINING = HeaderNames.create("X-RateLimit-Remaining");
  private static final HeaderName RESET = HeaderNames.create("X-RateLimit-Reset");
  private static final HeaderName WINDOW = HeaderNames.create("X-RateLimit-Window");

  private static final Comparator<Quota> TIGHTEST_FIRST =
      Comparator.comparing(Quota::spent).reversed().thenComparingLong(Quota::left);

  private final List<Quota> quotas;

  /**
   * One limit.
   *
   * @param limit how many requests within the window
   * @param left how many are left
   * @param resetSeconds until all are there again; of a spent one, until there is one again
   * @param spent whether this request was one too many
   */
  public record Quota(
      String name, long limit, long windowSeconds, long left, long resetSeconds, boolean spent) {
    private String policy() {
      return "\"%s\";q=%d;w=%d".formatted(name, limit, windowSeconds);
    }

    private String standing() {
      return "\"%s\";r=%d;t=%d".formatted(name, left, resetSeconds);
    }
  }

  private Allowance(List<Quota> quotas) {
    this.quotas = List.copyOf(quotas);
  }

  public static Allowance of(List<Quota> quotas) {
    return new Allowance(quotas);
  }

  /** The same, and the limit that was hit later on, where a problem is about one. */
  Allowance with(Problem problem) {
    if (!(problem instanceof Problem.RateLimited(_, int wait, Optional<Limit> hit))
        || hit.isEmpty()) {
      return this;
    }
    Limit limit = hit.get();
    var all = new ArrayList<>(quotas);
    all.add(
        new Quota(limit.name(), limit.times(), limit.windowSeconds(), 0, Math.max(1, wait), true));
    return new Allowance(all);
  }

  /** The seconds to wait, when the request was one too many. */
  OptionalInt retryAfterSeconds() {
    if (quotas.isEmpty()) {
      return OptionalInt.empty();
    }
    return quotas.stream()
        .filter(Quota::spent)
        .mapToInt(quota -> (int) Math.max(1, quota.resetSeconds()))
        .max();
  }

  void tell(ServerResponseHeaders headers, InstantSource clock) {
    if (quotas.isEmpty()) {
      return;
    }
    headers.set(POLICY, joined(Quota::policy));
    headers.set(RATE_LIMIT, joined(Quota::standing));
    Quota tightest = quotas.stream().min(TIGHTEST_FIRST).orElseThrow();
    headers.set(LIMIT, Long.toString(tightest.limit()));
    headers.set(REMAINING, Long.toString(tightest.left()));
    headers.set(RESET, Long.toString(clock.instant().getEpochSecond() + tightest.resetSeconds()));
    headers.set(WINDOW, Long.toString(tightest.windowSeconds()));
  }

  private String joined(java.util.function.Function<Quota, String> form) {
    return quotas.stream().map(form).collect(Collectors.joining(", "));
  }
}
