package dev.safeconduct.simulate;

import dev.safeconduct.decision.Reason;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.Lifetime;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.expression.Expression;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** The inputs that a pack reads, to detect missing inputs. */
public final class PackReads {
  /** Members of a schema that demand nothing of a text but that it is one. */
  private static final Set<String> UNDEMANDING =
      Set.of("type", "description", "title", "default", "examples", "x-aliases", "x-secret");

  /** Validators that look at what the operator reports. */
  private static final Set<String> OF_FEEDS =
      Set.of("validateExchangeStatus", "validateMarketHours", "validateSourceReputation");

  /** The members of a passport that say what its agent may do. */
  private static final Set<String> GRANTS = Set.of("capabilities", "limits", "regions", "mcp");

  private final Set<String> feedRules = new HashSet<>();
  private final Set<String> feedCodes = new HashSet<>();
  private final Set<String> context = new HashSet<>();
  private final Set<String> passport = new HashSet<>();
  private final Set<String> whole = new HashSet<>();
  private final PolicyPack pack;
  private final String rules;
  private boolean validates;

  public PackReads(PolicyPack pack) {
    this.pack = pack;
    this.rules = pack.document().array("evaluation_rules").map(Json::text).orElse("");
    pack.conditions().forEach(demand -> add(demand.condition()));
    pack.rules().forEach(this::add);
  }

  Set<String> passport() {
    return passport;
  }

  /** Whether an expression reads a limit, capability, region or MCP name as the passport has it. */
  public boolean readsPassport() {
    return wholePassport() || !Collections.disjoint(passport, GRANTS);
  }

  boolean wholePassport() {
    return whole.contains("passport");
  }

  /** Whether a rule that looks at what the operator reports has decided so. */
  boolean byFeed(Reason reason) {
    return reason.rule().filter(feedRules::contains).isPresent();
  }

  /** Whether a rule that looks at what the operator reports denies with the code. */
  boolean byFeed(String code) {
    return feedCodes.contains(code);
  }

  /**
   * Whether the outcome may depend on the context field's value. A text that is only checked to be
   * one is read by nobody; a validator that names no field is taken to read all.
   */
  boolean reads(String field) {
    if (whole.contains("context") || context.contains(field)) {
      return true;
    }
    if (!pack.contextSchema().declares(field)) {
      return validates;
    }
    JsonObject described =
        pack.document().child("required_context").child("properties").child(field);
    return !described.text("type").equals("string")
        || !UNDEMANDING.containsAll(described.names())
        || validates;
  }

  /** Whether the rules mention the name anywhere. */
  boolean names(String name) {
    return rules.contains(name);
  }

  private void add(Rule rule) {
    switch (rule) {
      case Rule.Conditional conditional -> add(conditional.condition());
      case Rule.Validated validated -> {
        validates |= validated.fields().isEmpty();
        context.addAll(validated.fields());
        if (OF_FEEDS.contains(validated.validator())) {
          feedRules.add(validated.name());
          feedCodes.add(validated.denyCode());
        }
      }
      case Rule.Counted counted -> counted.counters().forEach(this::add);
      case Rule.Combined combined -> combined.parts().forEach(this::add);
    }
  }

  private void add(Rule.Counter counter) {
    counter.when().ifPresent(this::add);
    counter.key().ifPresent(this::add);
    counter.amount().ifPresent(this::add);
    if (counter.cap() instanceof Rule.Cap.Said(Expression expression)) {
      add(expression);
    }
    if (counter.lifetime() instanceof Lifetime.Lives(Expression seconds)) {
      add(seconds);
    }
  }

  private void add(Expression expression) {
    Expression.ReferencedFacts reads = expression.reads();
    context.addAll(reads.context());
    passport.addAll(reads.passport());
    whole.addAll(reads.whole());
  }
}
