package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.Change;
import java.util.ArrayList;
import java.util.List;

/**
 * The passport that an action is evaluated against.
 *
 * @param org the organization that owns the decision
 * @param source whether the passport is hosted here or is part of the request
 * @param digest the digest of the passport's canonical form
 * @param chain the templates of an instance
 * @param changes the keys of the read set; a change of one requires a new evaluation
 */
public record Subject(
    OrgId org,
    String agentId,
    Decision.Source source,
    JudgedPassport passport,
    String digest,
    TemplateChain chain,
    List<String> changes) {
  private static final OrgId SIMULATED = new OrgId("org_simulated");

  public Subject {
    changes = List.copyOf(changes);
  }

  /** Returns a simulated subject, for which nothing is recorded. */
  static Subject simulated(JudgedPassport passport, TemplateChain chain) {
    return new Subject(
        SIMULATED,
        passport.agentId().or(passport::passportId).orElse("agent"),
        Decision.Source.REGISTRY,
        passport,
        "",
        chain,
        List.of());
  }

  public boolean isHosted() {
    return source == Decision.Source.REGISTRY;
  }

  /** Returns the read set of a decision. A change of an entry requires a new evaluation. */
  List<String> fenced(Caller caller, JudgedPack judged) {
    var subjects = new ArrayList<String>(changes);
    subjects.add(Change.SIGNING_KEYS);
    judged.owner().ifPresent(owner -> subjects.add(Change.packs(owner.value())));
    if (caller instanceof Caller.Key key) {
      subjects.add(Change.key(key.keyId()));
    }
    return subjects;
  }
}
