package dev.safeconduct.access;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.RateLimitStatus;
import dev.safeconduct.http.RateLimiter;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.net.IpAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rate limits for requests. A request without a credential counts by address, on this node. A valid
 * key counts across all nodes, for itself and for its organization.
 */
public final class RequestLimits implements RateLimiter {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final RateLimits local;
  private final RateLimits shared;
  private final Rate perAddress;
  private final Rate perKey;
  private final Rate perOrganization;

  /**
   * The limits per minute; 0 for none.
   *
   * @param local limits of this node: a flood of anonymous requests does not reach the database
   * @param shared limits across all nodes
   */
  public RequestLimits(
      RateLimits local,
      RateLimits shared,
      int publicPerAddress,
      int verifyPerKey,
      int verifyPerOrganization) {
    this.local = local;
    this.shared = shared;
    this.perAddress = new Rate("public", publicPerAddress, MINUTE);
    this.perKey = new Rate("verify-key", verifyPerKey, MINUTE);
    this.perOrganization = new Rate("verify-org", verifyPerOrganization, MINUTE);
  }

  @Override
  public RateLimitStatus take(Route route, Caller caller, String clientAddress, int further) {
    List<Counted> counted = counted(route, caller, clientAddress);
    if (counted.isEmpty()) {
      return RateLimitStatus.UNLIMITED;
    }
    return further == 0
        ? RateLimitStatus.of(counted.stream().map(each -> each.quota(each.take(1))).toList())
        : several(counted, further);
  }

  private List<Counted> counted(Route route, Caller caller, String clientAddress) {
    if (caller instanceof Caller.Anonymous) {
      return perAddress.times() == 0 || route.isHealthCheck()
          ? List.of()
          : List.of(new Counted(local, perAddress, IpAddress.network(clientAddress)));
    }
    boolean unlimited = perKey.times() == 0 && perOrganization.times() == 0;
    if (unlimited || !route.verifies() || !(caller instanceof Caller.Key key)) {
      return List.of();
    }
    var counted = new ArrayList<Counted>();
    if (perKey.times() > 0) {
      counted.add(new Counted(shared, perKey, key.keyId()));
    }
    if (perOrganization.times() > 0) {
      counted.add(new Counted(shared, perOrganization, key.org().value()));
    }
    return counted;
  }

  /** Takes all or none; otherwise one key's many requests would exhaust its organization. */
  private static RateLimitStatus several(List<Counted> counted, int further) {
    counted.forEach(each -> each.refuseMoreThanEver(further));
    List<RateLimitResult> taken = counted.stream().map(each -> each.take(further)).toList();
    boolean granted = taken.stream().allMatch(RateLimitResult::granted);
    var quotas = new ArrayList<RateLimitStatus.Quota>();
    for (int i = 0; i < counted.size(); i++) {
      Counted each = counted.get(i);
      quotas.add(granted ? each.quota(taken.get(i)) : each.undone(taken.get(i), further));
    }
    return RateLimitStatus.of(quotas);
  }

  private record Counted(RateLimits limits, Rate rate, String who) {
    private RateLimitResult take(int times) {
      return limits.take(rate, who, times);
    }

    private void refuseMoreThanEver(int further) {
      if (further >= rate.times()) { // the request itself takes one before
        throw ProblemException.invalid(
            "The request asks for %d decisions, and %d are allowed in %d s. Ask for fewer at"
                    .formatted(further + 1, rate.times(), rate.per().toSeconds())
                + " once.");
      }
    }

    private RateLimitStatus.Quota undone(RateLimitResult taken, int times) {
      if (taken.granted()) {
        limits.giveBack(rate, who, times);
        long sooner = times * rate.per().toSeconds() / rate.times();
        return quota(taken, taken.left() + times, taken.fullSeconds() - sooner);
      }
      // Adds one, because the repeated request itself takes one before.
      long one = Math.ceilDiv(rate.per().toSeconds(), rate.times());
      return quota(taken, taken.left(), taken.waitSeconds() + one);
    }

    private RateLimitStatus.Quota quota(RateLimitResult taken) {
      return quota(
          taken, taken.left(), taken.granted() ? taken.fullSeconds() : taken.waitSeconds());
    }

    private RateLimitStatus.Quota quota(RateLimitResult taken, long left, long resetSeconds) {
      return new RateLimitStatus.Quota(
          rate.name(), rate.times(), rate.per().toSeconds(), left, resetSeconds, !taken.granted());
    }
  }
}
