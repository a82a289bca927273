package dev.safeconduct.webhook;

import dev.safeconduct.access.Unknown;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.problem.Problem;
import java.util.Optional;

/** What a webhook's URL and target must be like when they are set. */
final class Destinations {
  private final AddressGuard guard;
  private final Passports passports;

  Destinations(AddressGuard guard, Passports passports) {
    this.guard = guard;
    this.passports = passports;
  }

  /**
   * Refuses what its text shows to be out of bounds for good. Names are looked up when something is
   * delivered, and only then.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 naming {@code url}
   */
  void demandOpenable(ReceiverUrl url) {
    refusal(url)
        .filter(refusal -> !refusal.configurable())
        .ifPresent(refusal -> {
          throw Problem.invalid(
                  "url", "Nothing is ever delivered to this url: " + refusal.why() + ".")
              .toException();
        });
  }

  /** Why nothing is delivered there as the service is configured now. */
  Optional<String> refusedForNow(ReceiverUrl url) {
    return refusal(url).map(AddressGuard.Refusal::why);
  }

  private Optional<AddressGuard.Refusal> refusal(ReceiverUrl url) {
    return AddressGuard.port(url.port())
        .or(() -> url.literal().flatMap(address -> guard.address(address, false)));
  }

  /**
   * The agent a target names, by the id its passport has; empty for the whole organization.
   *
   * @throws dev.safeconduct.problem.ProblemException 404 for another organization or its agent
   */
  Optional<AgentId> agent(OrgId org, WebhookRequest.Target target) {
    if (target.organization().filter(named -> !named.equals(org.value())).isPresent()) {
      throw Unknown.organization(target.organization().get());
    }
    return target
        .agent()
        .map(agent ->
            passports
                .find(new Tenant.One(org), agent)
                .map(Passport::agentId)
                .orElseThrow(() -> Unknown.passport(agent)));
  }
}
