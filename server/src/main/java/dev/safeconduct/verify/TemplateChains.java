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
  private static final Optional<String> ACTIVE = Optional.of(PassportStatus.ACTIVE.wire());

  private final PassportCache passports;

  public TemplateChains(PassportCache passports) {
    this.passports = passports;
  }

  /** Returns the chain of a hosted passport. */
  public TemplateChain of(AgentId agent) {
    return passports
        .find(agent)
        .map(found -> of(found.judged(), found.org()))
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
          named.flatMap(passports::find).filter(above -> above.org().equals(owner));
      if (found.isEmpty() || templates.size() == Passport.MOST_TEMPLATES) {
        active = false;
        break;
      }
      PassportCache.Hosted above = found.get();
      below = above.judged();
      active &= below.status().equals(ACTIVE);
      templates.add(new TemplateChain.Template(above.agentId(), below, above.digest()));
    }
    return new TemplateChain(active, templates);
  }
}
