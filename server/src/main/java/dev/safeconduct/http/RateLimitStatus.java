package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.Problem.RateLimited.Limit;
import dev.safeconduct.http.server.ResponseHeaders;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * A caller's remaining quota for the response headers: {@code RateLimit} and {@code
 * RateLimit-Policy} (draft-ietf-httpapi-ratelimit-headers-11). The older {@code X-RateLimit-*}
 * headers show the exceeded quota, else the one that has least left.
 */
public final class RateLimitStatus {
  /** No limits, and no headers. */
  public static final RateLimitStatus UNLIMITED = new RateLimitStatus(List.of());

  private static final Comparator<Quota> TIGHTEST_FIRST =
      Comparator.comparing(Quota::spent).reversed().thenComparingLong(Quota::left);

  private final List<Quota> quotas;

  /**
   * One limit.
   *
   * @param limit the number of requests within the window
   * @param left the number of requests left
   * @param resetSeconds the time until the full quota is available; of an exceeded one, until one
   *     request is
   * @param spent whether this request exceeds the limit
   */
  public record Quota(
      String name, long limit, long windowSeconds, long left, long resetSeconds, boolean spent) {
    private String policy() {
      return "\"" + name + "\";q=" + limit + ";w=" + windowSeconds;
    }

    private String standing() {
      return "\"" + name + "\";r=" + left + ";t=" + resetSeconds;
    }
  }

  private RateLimitStatus(List<Quota> quotas) {
    this.quotas = List.copyOf(quotas);
  }

  public static RateLimitStatus of(List<Quota> quotas) {
    return new RateLimitStatus(quotas);
  }

  /** Returns this status with the limit that was exceeded later, if the problem is a rate limit. */
  RateLimitStatus with(Problem problem) {
    if (!(problem instanceof Problem.RateLimited(_, int wait, Optional<Limit> hit))
        || hit.isEmpty()) {
      return this;
    }
    Limit limit = hit.get();
    var all = new ArrayList<>(quotas);
    all.add(
        new Quota(limit.name(), limit.times(), limit.windowSeconds(), 0, Math.max(1, wait), true));
    return new RateLimitStatus(all);
  }

  /** Returns the seconds to wait, when the request exceeds a limit. */
  OptionalInt retryAfterSeconds() {
    if (quotas.isEmpty()) {
      return OptionalInt.empty();
    }
    return quotas.stream()
        .filter(Quota::spent)
        .mapToInt(quota -> (int) Math.max(1, quota.resetSeconds()))
        .max();
  }

  void tell(ResponseHeaders headers, InstantSource clock) {
    if (quotas.isEmpty()) {
      return;
    }
    headers.set("RateLimit-Policy", joined(Quota::policy));
    headers.set("RateLimit", joined(Quota::standing));
    Quota tightest = quotas.stream().min(TIGHTEST_FIRST).orElseThrow();
    headers.set("X-RateLimit-Limit", Long.toString(tightest.limit()));
    headers.set("X-RateLimit-Remaining", Long.toString(tightest.left()));
    headers.set(
        "X-RateLimit-Reset",
        Long.toString(clock.instant().getEpochSecond() + tightest.resetSeconds()));
    headers.set("X-RateLimit-Window", Long.toString(tightest.windowSeconds()));
  }

  private String joined(java.util.function.Function<Quota, String> form) {
    return quotas.stream().map(form).collect(Collectors.joining(", "));
  }
}
