package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.policy.expression.EvaluationFault;
import dev.safeconduct.policy.expression.Expression;
import dev.safeconduct.policy.expression.OverBudgetException;
import dev.safeconduct.policy.schema.ContextSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One run through the checks of one pack, in their order (pack catalogue 0.2). */
final class Evaluation {
  private static final Reason ALLOWED =
      Reason.of(ReasonCode.ALLOWED, "Every check of the policy passed.");

  private static final String TOO_MUCH =
      "The check takes more work than one check or request may, so the action is denied. Send a"
          + " smaller context, or shorten the limits or the policy.";

  private final DecisionRequest request;
  private final Map<String, Validator> validators;
  private final CompiledPermissions compiled;
  private final Permissions permissions;
  private final PolicyPack pack;
  private final JudgedPassport passport;
  private final CounterReader counters;
  private final Counting counting;
  private final Budget budget;
  private final Trace trace;
  private JsonObject context;
  private Limits limits;

  /** What observe mode lifts; empty if the passport is not observed. */
  private final Optional<ObserveRules> observe;

  /** The charges of rules that observe mode does not lift. */
  private final List<Charge> lasting = new ArrayList<>();

  /** The first failure that observe mode lifted, with the checks that led to it. */
  private Outcome.@Nullable Deny lifted;

  /** Whether a rule failed that observe mode lifts. */
  private boolean ruleLifted;

  /** Whether the rule failed by an error, or by what no passport may allow. */
  private boolean faulty;

  /** Whether only an owner's list failed the rule, which otherwise protects. */
  private boolean byList;

  /** The rule that is evaluated, or was last. */
  private @Nullable Rule judged;

  /** The context fields in which {@link CheckOrder#CONTEXT} found a fault, for the trace. */
  private List<String> faultyFields = List.of();

  Evaluation(
      DecisionRequest request,
      Map<String, Validator> validators,
      Budget budget,
      Optional<ObserveRules> observe) {
    this.request = request;
    this.observe = observe;
    this.validators = validators;
    this.budget = budget;
    this.compiled = request.agent().compiled();
    this.pack = request.agent().pack();
    this.permissions = compiled.permissions();
    this.passport = request.agent().passport();
    this.context = request.context().value();
    this.limits = compiled.limits();
    this.trace = new Trace(request.explain(), pack, passport);
    this.counters = new CounterReader(request.usage(), request.agent().counterScope());
    this.counting = new Counting(counters, this::validator, request.now(), observe.isPresent());
  }

  /** {@code faults}: receives an {@link OverBudget}. */
  Outcome run(Consumer<? super OverBudget> faults) {
    for (CheckOrder check : CheckOrder.ALL) {
      if (check.isPartOf(pack)) {
        Reason failure;
        try {
          failure = failure(check);
        } catch (OverBudgetException e) {
          Optional<String> rule = Optional.ofNullable(judged).map(Rule::name);
          faults.accept(new OverBudget(pack.id(), rule.orElse(check.wire()), e));
          failure = new Reason(ReasonCode.POLICY_ERROR.wire(), TOO_MUCH, rule);
        }
        boolean passed = failure == null && !(check == CheckOrder.RULES && ruleLifted);
        trace.check(check, passed, limits.values(), context, faultyFields);
        if (failure != null) {
          Outcome.Deny deny = deny(failure);
          if (observe.isEmpty() || !observe.get().admits(check)) {
            return lifted == null ? deny : deny.observed(lifted.reason());
          }
          lift(deny);
        }
      }
    }
    return lifted == null ? allow(ALLOWED) : observed(lifted);
  }

  private Outcome.Deny deny(Reason failure) {
    return new Outcome.Deny(
        failure, counters.conditions(), Optional.empty(), trace.evaluated(), trace.checks());
  }

  private Outcome allow(Reason reason) {
    return new Outcome.Allow(
        reason,
        counters.conditions(),
        counting.charges(),
        lasting,
        Optional.empty(),
        trace.evaluated(),
        trace.checks());
  }

  /** Returns the allow of observe mode for a deny: every check that it does not lift passed. */
  private Outcome observed(Outcome.Deny deny) {
    return new Outcome.Allow(
        Reason.of(
            ReasonCode.OBSERVED,
            "Observe mode allows what the policy denies: " + deny.reason().message()),
        counters.conditions(),
        List.of(),
        lasting,
        Optional.of(deny.reason()),
        deny.evaluated(),
        deny.trace());
  }

  private void lift(Outcome.Deny deny) {
    lifted = lifted == null ? deny : lifted;
  }

  /**
   * Whether observe mode lifts the rule's failure, so that the rules after it are evaluated too.
   */
  private boolean lifts(Rule rule, Reason failure) {
    if (observe.isEmpty() || faulty || !(byList || observe.get().admits(rule))) {
      return false;
    }
    if (lifted == null) {
      lift(
          new Outcome.Deny(
              failure,
              counters.conditions(),
              Optional.empty(),
              trace.evaluatedBy(CheckOrder.RULES),
              trace.checks()));
    }
    trace.lifted();
    ruleLifted = true;
    return true;
  }

  /** Returns the reason why the check denies, or Java null if it passes. */
  private @Nullable Reason failure(CheckOrder check) {
    return switch (check) {
      case PASSPORT_STATUS -> CommonChecks.status(passport, request.agent().templateActive());
      case PASSPORT_EXPIRY -> CommonChecks.expiry(passport, request.now());
      case CAPABILITY -> compiled.capability();
      case ASSURANCE -> compiled.assurance();
      case CONTEXT -> context();
      case MCP_COMPANIONS -> CommonChecks.mcp(permissions, context);
      case RULES -> rules();
      case REGION -> CommonChecks.region(permissions, context);
      case APPROVAL -> request.approved() ? null : CommonChecks.approval(limits);
    };
  }

  private @Nullable Reason context() {
    if (request.context().fault().isPresent()) {
      return Reason.of(ReasonCode.INVALID_CONTEXT, request.context().fault().get());
    }
    switch (pack.contextSchema().check(context, budget.next())) {
      case ContextSchema.Checked.Sound sound -> {
        context = sound.context();
        if (!pack.perValue().fields().isEmpty()) {
          limits = new Limits(pack.perValue().resolve(limits.values(), context));
        }
      }
      case ContextSchema.Checked.Faulty faulty -> {
        faultyFields = faulty.fields();
        return Reason.of(ReasonCode.INVALID_CONTEXT, faulty.message());
      }
    }
    ExpressionFacts facts = expressionFacts();
    for (PolicyPack.Demand demand : pack.conditions()) {
      if (!holds(demand.condition(), facts)) {
        faultyFields = List.copyOf(demand.condition().contextNames());
        return Reason.of(ReasonCode.INVALID_CONTEXT, demand.message());
      }
    }
    return null;
  }

  private @Nullable Reason rules() {
    Facts facts =
        new Facts(permissions.capabilities(), context, limits, compiled.params(), request.feeds());
    ExpressionFacts expressions = expressionFacts();
    for (Rule rule : pack.rules()) {
      judged = rule;
      faulty = false;
      byList = false;
      int charged = counting.charges().size();
      String message = failure(rule, facts, expressions);
      trace.rule(rule, message == null, limits.values(), context, facts.params(), counting.full());
      if (message != null) {
        Reason failure = new Reason(rule.denyCode(), message, Optional.of(rule.name()));
        if (!lifts(rule, failure)) {
          return failure;
        }
      } else if (observe.isPresent() && !observe.get().admits(rule)) {
        lasting.addAll(counting.charges().subList(charged, counting.charges().size()));
      }
    }
    judged = null;
    return null;
  }

  private @Nullable String failure(Rule rule, Facts facts, ExpressionFacts expressions) {
    return switch (rule) {
      case Rule.Conditional conditional ->
          holds(conditional.condition(), expressions) ? null : conditional.message();
      case Rule.Validated validated -> {
        ComparisonCost.charge(validated.validator(), facts, budget);
        if (validator(validated.validator()).check(facts) instanceof RuleResult.Fail fail) {
          faulty |= fail.observed() == RuleResult.Observed.DENIED;
          byList = fail.observed() == RuleResult.Observed.LIFTED;
          yield fail.message();
        }
        yield null;
      }
      case Rule.Counted counted -> {
        String message = counting.failure(counted, facts, expressions);
        faulty |= counting.isFaulty();
        yield message;
      }
      case Rule.Combined combined -> failure(combined.parts(), facts, expressions);
    };
  }

  /** Returns the first part's failure; in observe mode one that is not lifted comes before it. */
  private @Nullable String failure(List<Rule> parts, Facts facts, ExpressionFacts expressions) {
    String first = null;
    boolean onlyByList = true;
    for (Rule part : parts) {
      byList = false;
      String message = failure(part, facts, expressions);
      if (message != null) {
        if (observe.isEmpty() || faulty) {
          return message;
        }
        first = first == null ? message : first;
        onlyByList &= byList;
      }
    }
    byList = first != null && onlyByList;
    return first;
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
        passport,
        permissions,
        context,
        limits.values(),
        compiled.policy(),
        counters,
        request.now(),
        budget);
  }

  private boolean holds(Expression expression, ExpressionFacts facts) {
    try {
      return expression.holds(facts);
    } catch (EvaluationFault e) {
      faulty = true;
      return false;
    }
  }
}
