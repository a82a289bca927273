package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Capabilities;
import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Validator;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.expression.EvaluationFault;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.schema.ContextSchema;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One run through the checks of one pack, in the order of the catalogue (0.2). */
final class Judgement {
  private final DecisionRequest request;
  private final Map<String, Validator> validators;
  private final PolicyPack pack;
  private final JsonObject passport;
  private final Capabilities capabilities;
  private final JsonObject policy;
  private final CounterReader counters;
  private final Counting counting;
  private final Trace trace;
  private JsonObject context;
  private Limits limits;

  /** The context fields the last common check looked at, for the trace. */
  private List<String> looked = List.of();

  Judgement(DecisionRequest request, Map<String, Validator> validators) {
    this.request = request;
    this.validators = validators;
    this.pack = request.pack();
    this.passport = request.passport();
    this.context = request.context();
    this.limits = EffectiveLimits.of(passport, pack.containers());
    this.capabilities = new Capabilities(passport);
    this.policy =
        JsonObject.builder()
            .put("id", pack.id().value())
            .put("min_assurance", pack.minAssurance().wire())
            .build();
    this.trace = new Trace(request.explain(), pack, passport);
    this.counters = new CounterReader(request.usage(), request.stateScope());
    this.counting = new Counting(counters, this::validator, request.now());
  }

  Outcome run() {
    Reason reason = firstFailure();
    if (reason != null) {
      return new Outcome.Deny(reason, counters.conditions(), trace.checks());
    }
    return new Outcome.Allow(
        new Reason(Reason.ALLOWED, "Every check of the policy passed.", Optional.empty()),
        counters.conditions(),
        counting.charges(),
        trace.checks());
  }

  private @Nullable Reason firstFailure() {
    Reason reason =
        noted("passport_status", CommonChecks.status(passport, request.templateActive()));
    if (reason == null) {
      reason = noted("passport_expiry", CommonChecks.expiry(passport, request.now()));
    }
    if (reason == null) {
      reason = noted("capability", capability());
    }
    if (reason == null) {
      reason = noted("assurance", CommonChecks.assurance(passport, limits, pack.minAssurance()));
    }
    if (reason == null) {
      reason = noted("context", context());
    }
    if (reason == null && pack.mcpEnforced()) {
      looked = CommonChecks.COMPANIONS;
      reason = noted("mcp_companions", CommonChecks.mcp(passport, context));
    }
    if (reason == null) {
      reason = rules();
    }
    if (reason == null) {
      looked = CommonChecks.REGION;
      reason = noted("region", CommonChecks.region(passport, context));
    }
    if (reason == null && pack.approvalGate()) {
      looked = List.of();
      reason = noted("approval", request.approved() ? null : CommonChecks.approval(limits));
    }
    return reason;
  }

  private @Nullable Reason noted(String name, @Nullable Reason reason) {
    trace.common(name, reason == null, limits.values(), context, looked);
    return reason;
  }

  private @Nullable Reason capability() {
    return capabilities.holdsAny(pack.capabilities())
        ? null
        : CommonChecks.reason(
            "oap.unknown_capability",
            "The passport does not hold the capability "
                + String.join(" or ", pack.capabilities())
                + ".");
  }

  private @Nullable Reason context() {
    if (request.contextFault().isPresent()) {
      return CommonChecks.reason("oap.invalid_context", request.contextFault().get());
    }
    switch (pack.contextSchema().check(request.context())) {
      case ContextSchema.Checked.Sound sound -> {
        context = sound.context();
        limits = new Limits(pack.perValue().resolve(limits.values(), context));
      }
      case ContextSchema.Checked.Faulty faulty -> {
        looked = faulty.fields();
        return CommonChecks.reason("oap.invalid_context", faulty.message());
      }
    }
    ExpressionFacts facts = expressionFacts();
    for (PolicyPack.Demand demand : pack.conditions()) {
      if (!holds(demand.condition(), facts)) {
        looked = List.copyOf(demand.condition().contextNames());
        return CommonChecks.reason("oap.invalid_context", demand.message());
      }
    }
    return null;
  }

  private @Nullable Reason rules() {
    Facts facts =
        new Facts(
            passport, context, limits, capabilities.params(pack.capabilities()), request.feeds());
    ExpressionFacts expressions = expressionFacts();
    for (Rule rule : pack.rules()) {
      String message = failure(rule, facts, expressions);
      trace.rule(rule, message == null, limits.values(), context, facts.params(), counting.full());
      if (message != null) {
        return new Reason(rule.denyCode(), message, Optional.of(rule.name()));
      }
    }
    return null;
  }

  private @Nullable String failure(Rule rule, Facts facts, ExpressionFacts expressions) {
    return switch (rule) {
      case Rule.Conditional conditional ->
          holds(conditional.condition(), expressions) ? null : conditional.message();
      case Rule.Validated validated ->
          validator(validated.validator()).check(facts) instanceof Verdict.Fail fail
              ? fail.message()
              : null;
      case Rule.Counted counted -> counting.failure(counted, facts, expressions);
      case Rule.Combined combined -> {
        String message = null;
        for (int i = 0; message == null && i < combined.parts().size(); i++) {
          message = failure(combined.parts().get(i), facts, expressions);
        }
        yield message;
      }
    };
  }

  private Validator validator(String name) {
    Validator validator = validators.get(name);
    if (validator == null) {
      throw new IllegalStateException("no validator " + name);
    }
    return validator;
  }

  private ExpressionFacts expressionFacts() {
    return new ExpressionFacts(
        passport, context, limits.values(), policy, counters, capabilities, request.now());
  }

  private static boolean holds(Expression expression, ExpressionFacts facts) {
    try {
      return expression.holds(facts);
    } catch (EvaluationFault e) {
      return false;
    }
  }
}
