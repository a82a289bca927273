package dev.safeconduct.access;

import dev.safeconduct.http.Allowance;
import dev.safeconduct.http.Route;
import dev.safeconduct.http.Throttle;
import dev.safeconduct.identity.Caller;
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
  public Allowance take(Route route, Caller caller, String clientAddress) {
    if (caller instanceof Caller.Anonymous) {
      return perAddress.times() == 0 || route.isHealthCheck()
          ? Allowance.UNLIMITED
          : Allowance.of(List.of(quota(local, perAddress, clientAddress)));
    }
    if (!route.verifies() || !(caller instanceof Caller.Key key)) {
      return Allowance.UNLIMITED;
    }
    if (perKey.times() == 0 && perOrganization.times() == 0) {
      return Allowance.UNLIMITED;
    }
    var quotas = new ArrayList<Allowance.Quota>();
    if (perKey.times() > 0) {
      quotas.add(quota(shared, perKey, key.keyId()));
    }
    if (perOrganization.times() > 0) {
      quotas.add(quota(shared, perOrganization, key.org().value()));
    }
    return Allowance.of(quotas);
  }

  private static Allowance.Quota quota(RateLimits limits, Rate rate, String who) {
    Taken taken = limits.take(rate, who);
    return new Allowance.Quota(
        rate.name(),
        rate.times(),
        rate.per().toSeconds(),
        taken.left(),
        taken.granted() ? taken.fullSeconds() : taken.waitSeconds(),
        !taken.granted());
  }
}
