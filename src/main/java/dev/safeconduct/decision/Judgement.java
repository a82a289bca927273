package dev.safeconduct.decision;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Limits;
import dev.safeconduct.decision.facts.Validator;
import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.expression.EvaluationFault;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.schema.ContextSchema;
import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.CounterKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** One run through the checks of one pack, in the order of the catalogue (0.2). */
final class Judgement {
  private final DecisionRequest request;
  private final Map<String, Validator> validators;
  private final PolicyPack pack;
  private final JsonObject passport;
  private final Limits limits;
  private final Capabilities capabilities;
  private final JsonObject policy;
  private final CounterReader counters;
  private final List<Charge> charges = new ArrayList<>();
  private final List<Check> trace = new ArrayList<>();
  private JsonObject context;

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
    this.counters = new CounterReader(request.usage(), request.stateScope());
  }

  Outcome run() {
    Reason reason = firstFailure();
    if (reason != null) {
      return new Outcome.Deny(reason, counters.conditions(), trace);
    }
    return new Outcome.Allow(
        new Reason(Reason.ALLOWED, "Every check of the policy passed.", Optional.empty()),
        counters.conditions(),
        charges,
        trace);
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
      reason = noted("mcp_companions", CommonChecks.mcp(passport, context));
    }
    if (reason == null) {
      reason = rules();
    }
    if (reason == null) {
      reason = noted("region", CommonChecks.region(passport, context));
    }
    if (reason == null && pack.approvalGate()) {
      reason = noted("approval", CommonChecks.approval(limits));
    }
    return reason;
  }

  private @Nullable Reason noted(String name, @Nullable Reason reason) {
    if (request.explain()) {
      trace.add(new Check(name, reason == null, JsonObject.EMPTY, JsonObject.EMPTY));
    }
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
      case ContextSchema.Checked.Sound sound -> context = sound.context();
      case ContextSchema.Checked.Faulty faulty -> {
        return CommonChecks.reason("oap.invalid_context", faulty.message());
      }
    }
    ExpressionFacts facts = expressionFacts();
    for (PolicyPack.Demand demand : pack.conditions()) {
      if (!holds(demand.condition(), facts)) {
        return CommonChecks.reason("oap.invalid_context", demand.message());
      }
    }
    return null;
  }

  private @Nullable Reason rules() {
    Facts facts = new Facts(passport, context, limits, capabilities.params(pack.capabilities()));
    ExpressionFacts expressions = expressionFacts();
    for (Rule rule : pack.rules()) {
      String message = failure(rule, facts, expressions);
      if (request.explain()) {
        trace.add(
            new Check(
                rule.name(),
                message == null,
                picked(limits.values(), rule.limits()),
                picked(context, rule.fields())));
      }
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
      case Rule.Validated validated -> {
        Validator validator = validators.get(validated.validator());
        if (validator == null) {
          throw new IllegalStateException("no validator " + validated.validator());
        }
        yield validator.check(facts) instanceof Verdict.Fail fail ? fail.message() : null;
      }
      case Rule.Counted counted -> counted(counted, expressions);
    };
  }

  private @Nullable String counted(Rule.Counted rule, ExpressionFacts facts) {
    for (Rule.Counter counter : rule.counters()) {
      try {
        if (counter.when().isPresent() && !counter.when().get().holds(facts)) {
          continue;
        }
        OptionalDouble max = counter.max().number(facts);
        if (max.isEmpty()) {
          if (counter.required()) {
            return rule.message();
          }
          continue;
        }
        if (!(max.getAsDouble() >= 0) || !charge(counter, max.getAsDouble(), facts)) {
          return rule.message();
        }
      } catch (EvaluationFault e) {
        return rule.message();
      }
    }
    return null;
  }

  /** Whether there is room under the cap; takes it for granted and prepares the charge if so. */
  private boolean charge(Rule.Counter counter, double cap, ExpressionFacts facts)
      throws EvaluationFault {
    String by = "";
    if (counter.key().isPresent()) {
      Optional<String> text = counter.key().get().text(facts);
      if (text.isEmpty()) {
        return false;
      }
      by = text.get();
    }
    long amount = 1;
    // A count is full at the cap; a sum may reach it. Only whole amounts can be charged.
    double room = Math.ceil(cap) - 1;
    if (counter.amount().isPresent()) {
      OptionalDouble added = counter.amount().get().number(facts);
      if (added.isEmpty()
          || added.getAsDouble() < 1
          || !new JsonNumber(added.getAsDouble()).isSafeInteger()) {
        return false;
      }
      amount = (long) added.getAsDouble();
      room = Math.floor(cap) - amount;
    }
    CounterKey key = counters.key(counter.name(), counter.window().wire(), by);
    long atMost = (long) Math.min(room, 9.0e18);
    if (counters.total(key) > atMost) {
      return false;
    }
    counters.assume(key, atMost);
    charges.add(new Charge(key, amount, counter.window().expiry(request.now(), cap)));
    return true;
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

  private static JsonObject picked(JsonObject from, List<String> names) {
    JsonObject.Builder picked = JsonObject.builder();
    for (String name : names) {
      JsonValue value = from.get(name);
      if (value != null) {
        picked.put(name, value);
      }
    }
    return picked.build();
  }
}
