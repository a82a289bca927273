package dev.safeconduct.access;

import dev.safeconduct.http.Allowance;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.Throttle;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How often anybody may ask. Who shows no credential is counted by address, on this node; a key
 * that verifies is counted with all nodes, for itself and for its organization.
 */
public final class RequestLimits implements Throttle {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final RateLimits local;
  private final RateLimits shared;
  private final Rate perAddress;
  private final Rate perKey;
  private final Rate perOrganization;

  /**
   * The limits of one minute; 0 for none.
   *
   * @param local counts on this node: a flood of strangers costs the database nothing
   * @param shared counts with all nodes
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
  public Allowance take(Route route, Caller caller, String clientAddress, int further) {
    List<Counted> counted = counted(route, caller, clientAddress);
    if (counted.isEmpty()) {
      return Allowance.UNLIMITED;
    }
    return further == 0
        ? Allowance.of(counted.stream().map(each -> each.quota(each.take(1))).toList())
        : several(counted, further);
  }

  private List<Counted> counted(Route route, Caller caller, String clientAddress) {
    if (caller instanceof Caller.Anonymous) {
      return perAddress.times() == 0 || route.isHealthCheck()
          ? List.of()
          : List.of(new Counted(local, perAddress, clientAddress));
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

  /** All or none, or one key's many tries would exhaust its organization. */
  private static Allowance several(List<Counted> counted, int further) {
    counted.forEach(each -> each.refuseMoreThanEver(further));
    List<Taken> taken = counted.stream().map(each -> each.take(further)).toList();
    boolean granted = taken.stream().allMatch(Taken::granted);
    var quotas = new ArrayList<Allowance.Quota>();
    for (int i = 0; i < counted.size(); i++) {
      Counted each = counted.get(i);
      quotas.add(granted ? each.quota(taken.get(i)) : each.undone(taken.get(i), further));
    }
    return Allowance.of(quotas);
  }

  private record Counted(RateLimits limits, Rate rate, String who) {
    private Taken take(int times) {
      return limits.take(rate, who, times);
    }

    private void refuseMoreThanEver(int further) {
      if (further >= rate.times()) { // the request itself takes one before
        throw Problem.invalid(
                "The request asks for %d decisions, and %d are allowed in %d s. Ask for fewer at"
                        .formatted(further + 1, rate.times(), rate.per().toSeconds())
                    + " once.")
            .toException();
      }
    }

    private Allowance.Quota undone(Taken taken, int times) {
      if (taken.granted()) {
        limits.giveBack(rate, who, times);
        long sooner = times * rate.per().toSeconds() / rate.times();
        return quota(taken, taken.left() + times, taken.fullSeconds() - sooner);
      }
      // And one more, for when it comes again the request itself takes one.
      long one = Math.ceilDiv(rate.per().toSeconds(), rate.times());
      return quota(taken, taken.left(), taken.waitSeconds() + one);
    }

    private Allowance.Quota quota(Taken taken) {
      return quota(
          taken, taken.left(), taken.granted() ? taken.fullSeconds() : taken.waitSeconds());
    }

    private Allowance.Quota quota(Taken taken, long left, long resetSeconds) {
      return new Allowance.Quota(
          rate.name(), rate.times(), rate.per().toSeconds(), left, resetSeconds, !taken.granted());
    }
  }
}
