package dev.safeconduct.verify;

import dev.safeconduct.access.ApiKeyValidity;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.ObserveRules;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.passport.Halt;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.ObserveModes;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Resolves the pack, the context without dialects and the passport of a request. */
public final class RequestResolver {
  private final PackResolver packs;
  private final SubjectResolver subjects;
  private final ApiKeyValidity standing;
  private final Halts halts;
  private final ObserveModes modes;
  private final ObserveRules observed;

  public RequestResolver(
      PackResolver packs,
      SubjectResolver subjects,
      ApiKeyValidity standing,
      Halts halts,
      ObserveModes modes,
      ObserveRules observed) {
    this.packs = packs;
    this.subjects = subjects;
    this.standing = standing;
    this.halts = halts;
    this.modes = modes;
    this.observed = observed;
  }

  /**
   * Returns the action to evaluate.
   *
   * @param clock gives the time of the evaluation
   * @throws dev.safeconduct.error.ProblemException 404 for an unknown pack or agent, 401 for a
   *     credential that is no longer valid
   */
  EvaluationInput resolve(VerifyRequest request, InstantSource clock) {
    JudgedPack judged = pack(request);
    EvaluatedContext context = EvaluatedContext.of(judged.pack(), request.sent().context());
    if (!standing.isValid(request.caller())) {
      throw ProblemException.unauthorized("The credential has been revoked or has expired.");
    }
    Subject subject = subjects.resolve(request, judged.pack(), context.agentIds());
    EvaluatedContext named =
        subject
            .form(judged.pack())
            .map(SentEntities.Form::context)
            .filter(form -> !form.equals(request.sent().context()))
            .map(form -> EvaluatedContext.of(judged.pack(), form))
            .orElse(context);
    if (judged.owner().filter(owner -> !owner.equals(subject.org())).isPresent()) {
      throw PackResolver.unknown(request.policyId());
    }
    Optional<Halt> halt = halts.stopping(subject.org());
    // Read last: what the outcome rests on was looked up before it. Observe mode compares with it.
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    return new EvaluationInput(
        judged,
        subject,
        named,
        request.sent().contextFault(),
        now,
        request.options().explain(),
        false,
        new EvaluationInput.Controls(
            halt,
            request.dryRun() || judged.source() != Decision.Source.REGISTRY
                ? Optional.empty()
                : observed(subject, judged.pack(), now)));
  }

  /** Only a hosted agent is observed: anyone can describe another one in a request. */
  private Optional<ObserveRules> observed(Subject subject, PolicyPack pack, Instant now) {
    return subject.isHosted()
        ? modes
            .applying(subject.org(), new AgentId(subject.agentId()), now)
            .filter(mode -> mode.money() || !observed.concernsMoney(pack))
            .map(_ -> observed)
        : Optional.empty();
  }

  /** Whether the request's pack uses counters or may require an approval. */
  boolean hasState(VerifyRequest request) {
    PolicyPack pack = pack(request).pack();
    return pack.stateful() || pack.approvalGate();
  }

  private JudgedPack pack(VerifyRequest request) {
    return packs.resolve(request, () -> subjects.org(request));
  }
}
