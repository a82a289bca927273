package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The passport that an action is evaluated against.
 *
 * @param org the organization that owns the decision
 * @param source whether the passport is hosted here, is the pack's, or is part of the request
 * @param digest the digest of the passport's canonical form
 * @param chain the templates of an instance
 * @param changes the keys of the read set; a change of one requires a new evaluation
 * @param asked the subject as an AuthZEN caller names it; empty for other requests
 */
public record Subject(
    OrgId org,
    String agentId,
    Decision.Source source,
    JudgedPassport passport,
    String digest,
    TemplateChain chain,
    List<String> changes,
    Optional<SentSubject> asked) {
  /** The most subjects of a read set beside {@link #changes}. */
  private static final int MOST_FENCED = 6;

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
        List.of(),
        Optional.empty());
  }

  /** Returns the same hosted subject as an AuthZEN caller names it. */
  Subject as(SentSubject asked) {
    return new Subject(
        org,
        agentId,
        source,
        passport,
        digest,
        chain,
        changes,
        Optional.of(asked.hosted(new AgentId(agentId))));
  }

  /** Returns the context of the AuthZEN request for a pack; empty for other requests. */
  Optional<SentEntities.Form> form(PolicyPack pack) {
    return asked.flatMap(SentSubject::entities).map(all -> all.candidateForm(pack));
  }

  /**
   * Returns the subject under another pack, which may list other subjects; empty if it depends on a
   * hosted passport that was not read.
   */
  Optional<Subject> under(PolicyPack other) {
    if (asked.isEmpty() || (isHosted() && !asked.get().isListed(other))) {
      return Optional.of(this);
    }
    return asked
        .filter(named -> named.isDeterminedBy(other))
        .map(named ->
            source == Decision.Source.REQUEST
                ? named.under(other, org)
                : named.under(other, org, this));
  }

  public boolean isHosted() {
    return source == Decision.Source.REGISTRY;
  }

  /** Returns the id under which the agent's counters are kept: one for all spellings. */
  String stateId() {
    return isHosted() ? agentId : AgentId.fold(agentId);
  }

  /** Returns the instant from which on the passport or one of its templates is expired. */
  public Instant end() {
    Instant end = passport.expiry().end();
    for (TemplateChain.Template template : chain.templates()) {
      Instant above = template.passport().expiry().end();
      end = above.isBefore(end) ? above : end;
    }
    return end;
  }

  /** Returns the read set of a decision. A change of an entry requires a new evaluation. */
  List<String> fenced(Caller caller, JudgedPack judged) {
    var subjects = new ArrayList<String>(changes.size() + MOST_FENCED);
    subjects.addAll(changes);
    subjects.add(Change.SIGNING_KEYS);
    subjects.add(Change.HALT_OF_ALL);
    if (!isHosted()) { // otherwise they are kept with the passport
      subjects.add(Change.halt(org.value()));
      subjects.add(Change.observe(org.value()));
    }
    judged.owner().ifPresent(owner -> subjects.add(Change.packs(owner.value())));
    if (caller instanceof Caller.Key key) {
      subjects.add(Change.key(key.keyId()));
    }
    if (caller instanceof Caller.Admin admin) {
      subjects.add(Change.token(admin.token().map(Caller.Token::id).orElse("admin")));
    }
    return subjects;
  }
}
