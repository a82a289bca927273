package dev.safeconduct.webhook;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.webhook.delivery.AddressGuard;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import java.util.Optional;

/** Validates a webhook's URL and target when they are set. */
final class Destinations {
  private final AddressGuard guard;
  private final Passports passports;

  Destinations(AddressGuard guard, Passports passports) {
    this.guard = guard;
    this.passports = passports;
  }

  /**
   * Refuses a URL that no setting permits. Names are resolved only when an event is delivered.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming {@code url}
   */
  void demandOpenable(ReceiverUrl url) {
    refusal(url)
        .filter(refusal -> !refusal.configurable())
        .ifPresent(refusal -> {
          throw ProblemException.invalid(
              "url", "Deliveries to this url are always refused: " + refusal.why() + ".");
        });
  }

  /** Returns the reason why the current configuration forbids deliveries to the URL. */
  Optional<String> refusedForNow(ReceiverUrl url) {
    return refusal(url).map(AddressGuard.Refusal::why);
  }

  private Optional<AddressGuard.Refusal> refusal(ReceiverUrl url) {
    return AddressGuard.port(url.port()).or(() -> guard.host(url.url().host(), false));
  }

  /**
   * The agent a target names, by the id its passport has; empty for the whole organization.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for another organization or its agent
   */
  Optional<AgentId> agent(OrgId org, WebhookRequest.Target target) {
    if (target.organization().filter(named -> !named.equals(org.value())).isPresent()) {
      throw NotFoundProblems.organization(target.organization().get());
    }
    return target
        .agent()
        .map(agent ->
            passports
                .find(new Tenant.One(org), agent)
                .map(Passport::agentId)
                .orElseThrow(() -> NotFoundProblems.passport(agent)));
  }
}
