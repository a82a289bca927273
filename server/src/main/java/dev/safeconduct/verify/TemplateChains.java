package dev.safeconduct.verify;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.passport.Passport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the current templates of instances. */
public final class TemplateChains {
  private final PassportCache passports;

  public TemplateChains(PassportCache passports) {
    this.passports = passports;
  }

  /** Returns the chain of a hosted passport. */
  public TemplateChain of(AgentId agent) {
    return passports
        .find(agent)
        .map(found -> of(found.judged(), found.passport().owner()))
        .orElse(TemplateChain.NONE);
  }

  /** Returns the chain of the owner's passport. It is empty for a passport without a template. */
  TemplateChain of(JudgedPassport passport, OrgId owner) {
    return of(passport, owner, new ArrayList<>());
  }

  /**
   * Returns the chain as above. A missing template counts as suspended.
   *
   * @param changes receives the keys whose change requires a new lookup of the chain
   */
  TemplateChain of(JudgedPassport passport, OrgId owner, List<String> changes) {
    if (!passport.isInstance()) {
      return TemplateChain.NONE;
    }
    var templates = new ArrayList<TemplateChain.Template>();
    JudgedPassport below = passport;
    boolean active = true;
    while (below.isInstance()) {
      Optional<AgentId> named = below.parent().flatMap(AgentId::hosted);
      named.ifPresent(id -> changes.add(Change.agent(id.value())));
      Optional<PassportCache.Hosted> found =
          named.flatMap(passports::find).filter(above -> above.passport().owner().equals(owner));
      if (found.isEmpty() || templates.size() == Passport.MOST_TEMPLATES) {
        active = false;
        break;
      }
      Passport above = found.get().passport();
      active &= above.status() == PassportStatus.ACTIVE;
      below = found.get().judged();
      templates.add(
          new TemplateChain.Template(above.agentId().value(), below, found.get().digest()));
    }
    return new TemplateChain(active, templates);
  }
}
