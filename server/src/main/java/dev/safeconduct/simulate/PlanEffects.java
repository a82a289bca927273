package dev.safeconduct.simulate;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.db.Reads;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.deploy.Effects;
import dev.safeconduct.deploy.ResourceChange;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;

/** Replays the last day's decisions that a plan concerns. */
public final class PlanEffects implements Effects {
  private static final Duration SPAN = Duration.ofHours(24);
  private static final int MOST_DECISIONS = 20_000;
  private static final int EXAMPLES = 10;

  private final Reads reads;
  private final PackReader reader;
  private final PolicyCatalog builtIn;
  private final PackCache hosted;
  private final PolicyDecisionPoint decisionPoint;
  private final InstantSource clock;

  /** One at a time, so that decisions have the other processors and connections. */
  private final Semaphore turn = new Semaphore(1);

  public PlanEffects(
      Reads reads,
      PackReader reader,
      PolicyCatalog builtIn,
      PackCache hosted,
      PolicyDecisionPoint decisionPoint,
      InstantSource clock) {
    this.reads = reads;
    this.reader = reader;
    this.builtIn = builtIn;
    this.hosted = hosted;
    this.decisionPoint = decisionPoint;
    this.clock = clock;
  }

  @Override
  public JsonObject of(OrgId org, List<ResourceChange> changes) {
    var counts = new Counts();
    var run = new Run(org, changes, counts);
    if (run.concernsNothing()) {
      return counts.json(Optional.empty());
    }
    Instant now = clock.instant();
    var past = new DecisionHistory(reads);
    if (past.count(org, now.minus(SPAN).minus(Replay.LEAD), MOST_DECISIONS + 1) > MOST_DECISIONS) {
      return counts.json(
          Optional.of(
              "There are more than 20,000 decisions in the last 48 hours; none was evaluated again."
                  + " For a pack, use safeconduct policies replay on the server."));
    }
    if (!turn.tryAcquire()) {
      return counts.json(
          Optional.of("Another plan is being evaluated; plan again to see the effects."));
    }
    try {
      run.replay(past, now);
    } finally {
      turn.release();
    }
    return counts.json(Optional.empty());
  }

  private final class Run {
    private final OrgId org;
    private final Counts counts;
    private final Map<AgentId, JudgedPassport> passports = new HashMap<>();
    private final Map<String, JsonObject> packs = new HashMap<>();
    private final Set<AgentId> concerned = new HashSet<>();

    Run(OrgId org, List<ResourceChange> changes, Counts counts) {
      this.org = org;
      this.counts = counts;
      for (ResourceChange change : changes) {
        if (change.candidate().isEmpty()) {
          continue;
        }
        String object = change.target().object();
        if (change.target().kind().equals("Pack")) {
          packs.put(object, change.candidate().get());
        } else {
          AgentId agent = new AgentId(object);
          passports.put(agent, JudgedPassport.of(change.candidate().get()));
          concerned.add(agent);
          concerned.addAll(Passports.instances(reads, org, agent));
        }
      }
    }

    boolean concernsNothing() {
      return passports.isEmpty() && packs.isEmpty();
    }

    void replay(DecisionHistory past, Instant now) {
      for (String policy : past.policies(org, now.minus(SPAN))) {
        if (passports.isEmpty() && !packs.containsKey(policy)) {
          continue;
        }
        if (ResourceChange.WITHDRAWN.equals(packs.get(policy))) {
          past.decisions(
              new DecisionHistory.Span(
                  Optional.of(org), policy, now.minus(SPAN), now.plusMillis(1)),
              record -> counts.withdrawn(record.entry()));
          continue;
        }
        Optional<PolicyPack> pack = pack(policy);
        if (pack.isPresent()) {
          var span =
              new DecisionHistory.Span(
                  Optional.of(org), policy, now.minus(SPAN), now.plusMillis(1));
          new Replay(pack.get(), passports, past, decisionPoint)
              .run(
                  span,
                  comparison -> {
                    AuditRecord entry = comparison.record().entry();
                    if (packs.containsKey(policy)
                        || entry.agent().filter(concerned::contains).isPresent()) {
                      counts.add(comparison);
                    }
                  });
        }
      }
    }

    private Optional<PolicyPack> pack(String policy) {
      JsonObject candidate = packs.get(policy);
      if (candidate != null) {
        try {
          return Optional.of(reader.read(candidate));
        } catch (PackFault e) {
          throw new IllegalStateException("the plan has checked the pack", e);
        }
      }
      return hosted
          .find(org, policy)
          .map(PackCache.CachedPack::pack)
          .or(() -> builtIn.find(policy));
    }
  }

  private static final class Counts {
    private long decisions;
    private long wouldDeny;
    private long wouldAllow;
    private long unknown;
    private final List<JsonValue> examples = new ArrayList<>();

    /** A decision by a pack that is withdrawn; a pack that came with a request stays. */
    void withdrawn(AuditRecord entry) {
      Optional<Decision> read = DecisionJson.read(entry.body());
      if (read.filter(
              decision ->
                  decision.validity().dryRun()
                      || decision.policy().source() == Decision.Source.REQUEST)
          .isPresent()) {
        return;
      }
      decisions++;
      if (read.isEmpty()) {
        unknown++;
      } else if (read.get().allow()) {
        wouldDeny++;
        example(entry, "oap.policy_error");
      }
    }

    private void example(AuditRecord entry, String code) {
      if (examples.size() < EXAMPLES) {
        examples.add(
            JsonObject.builder()
                .put("decision_id", entry.id().toString())
                .putIfPresent("agent_id", entry.agent().map(AgentId::value))
                .putIfPresent("policy_id", entry.policyId())
                .putIfPresent("code", entry.code())
                .put("new_code", code)
                .build());
      }
    }

    void add(Replay.Comparison comparison) {
      decisions++;
      switch (comparison) {
        case Replay.Comparison.Same _ -> {}
        case Replay.Comparison.NotReplayable _ -> unknown++;
        case Replay.Comparison.Flips(var record, var outcome) -> {
          wouldAllow += outcome.isAllow() ? 1 : 0;
          wouldDeny += outcome.isAllow() ? 0 : 1;
          example(record.entry(), outcome.reason().code());
        }
      }
    }

    JsonObject json(Optional<String> note) {
      return JsonObject.builder()
          .put("hours", SPAN.toHours())
          .put("decisions", decisions)
          .put("flips", wouldAllow + wouldDeny)
          .put("would_allow", wouldAllow)
          .put("would_deny", wouldDeny)
          .put("unknown", unknown)
          .put("flipped", new JsonArray(examples))
          .putIfPresent("note", note)
          .build();
    }
  }
}
