package dev.safeconduct.policy.lint;

import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.DenyCodes;
import dev.safeconduct.policy.Lifetime;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.Sources;
import dev.safeconduct.policy.Window;
import dev.safeconduct.policy.expression.CounterRead;
import dev.safeconduct.policy.expression.ExpressionFault;
import dev.safeconduct.text.Words;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds mistakes in packs that compile: undeclared names, wrong types, unknown deny codes, and
 * rules that decide nothing. Only proven mistakes are faults.
 */
public final class PackLint {
  /** Members whose misspelling would silently disable something. */
  private static final Set<String> TOP_LEVEL =
      new TreeSet<>(
          Words.list(
              """
              requires_capabilities min_assurance limits_containers limits required_context
              evaluation_rules approval_gate authzen obligations deny_codes
              """));

  private static final Set<String> FURTHER =
      Set.of("limits_required", "required_fields", "evaluation_rules_version");

  private final JsonObject document;
  private final Declarations declarations;
  private final Consumer<PolicyFault> faults;

  private PackLint(JsonObject document, Consumer<PolicyFault> faults) {
    this.document = document;
    this.declarations = new Declarations(document);
    this.faults = faults;
  }

  /** Reports the faults of a pack; {@code sources} are its expressions in their order. */
  public static void check(
      JsonObject document,
      List<Sources.Source> sources,
      List<Rule> rules,
      Consumer<PolicyFault> faults) {
    new PackLint(document, faults).run(sources, rules);
  }

  private void run(List<Sources.Source> sources, List<Rule> rules) {
    topLevel();
    declarations.check(faults);
    var codes = new DenyCodes(ReasonCode.denyCodes(), document, faults);
    JsonArray list = document.list("evaluation_rules");
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) instanceof JsonObject rule) {
        String field = "evaluation_rules[" + i + "]";
        String name = rule.text("name");
        rule.string("deny_code")
            .filter(code -> DenyCodes.FORM.matcher(code).matches())
            .ifPresent(code -> codes.check(field + ".deny_code", name, code, faults));
        if (rule.has("validator")) {
          listed(field + ".limits", name, rule, declarations.limitNames(), "the pack has no limit");
          listed(
              field + ".context",
              name,
              rule,
              declarations.fieldNames(),
              "the pack's context has no field");
        }
      }
    }
    // If a rule is missing, the set of counters is unknown.
    Optional<CountedNames> counted =
        rules.size() == list.size() ? Optional.of(new CountedNames(rules)) : Optional.empty();
    List<Sources.Source> sound = sources.stream().filter(source -> fits(source, counted)).toList();
    if (rules.size() == list.size()) {
      new DeadRules(declarations.certain(), faults).run(sound, rules);
    }
  }

  private void topLevel() {
    for (String name : document.names()) {
      if (!TOP_LEVEL.contains(name) && !FURTHER.contains(name)) {
        Spelling.nearest(name, TOP_LEVEL)
            .ifPresent(meant ->
                faults.accept(
                    PolicyFault.at(name, "a pack has no member of this name").suggesting(meant)));
      }
    }
  }

  /** Checks the names that a rule declares for its validator. */
  private void listed(
      String field, String rule, JsonObject from, Set<String> known, String unknown) {
    String member = field.substring(field.lastIndexOf('.') + 1);
    for (JsonValue name : from.list(member)) {
      if (!known.isEmpty() && name instanceof JsonString(String text) && !known.contains(text)) {
        PolicyFault fault = PolicyFault.at(field, unknown + " \"" + text + "\"").of(rule);
        faults.accept(Spelling.suggest(fault, text, known));
      }
    }
  }

  /** Reports wrong names and types in the expression; returns whether there are none. */
  private boolean fits(Sources.Source source, Optional<CountedNames> counted) {
    boolean fits = true;
    for (Map.Entry<String, String> gone : declarations.resolved().entrySet()) {
      Matcher read =
          Pattern.compile("\\bcontext\\." + Pattern.quote(gone.getKey()) + "\\b")
              .matcher(source.text());
      if (read.find()) {
        fits = false;
        faults.accept(
            source
                .place()
                .saying(
                    gone.getKey()
                        + " is another name of "
                        + gone.getValue()
                        + " and gone when rules run")
                .at(read.start() + 1)
                .suggesting("context." + gone.getValue()));
      }
    }
    try {
      Inspection inspection = Inspection.of(source.text(), declarations.typed());
      for (Inspection.Finding finding : inspection.findings()) {
        fits = false;
        PolicyFault fault = source.place().saying(finding.message()).at(finding.column());
        faults.accept(finding.suggestion().map(fault::suggesting).orElse(fault));
      }
      for (CounterRead read : inspection.counterReads()) {
        Optional<PolicyFault> fault = counted.flatMap(names -> names.fault(read, source.place()));
        fits &= fault.isEmpty();
        fault.ifPresent(faults);
      }
      Optional<String> unfit = fits ? unfit(source.use(), inspection) : Optional.empty();
      unfit.ifPresent(message -> faults.accept(source.place().saying(message).at(1)));
      return fits && unfit.isEmpty();
    } catch (ExpressionFault e) {
      throw new IllegalStateException("it has compiled before", e);
    }
  }

  /** Returns why the expression's result does not fit its use. */
  private static Optional<String> unfit(Sources.Use use, Inspection inspection) {
    ValueSet yields = inspection.values();
    boolean present = !yields.equals(ValueSet.NONE) && !yields.equals(ValueSet.UNDEFINED);
    return switch (use) {
      case NUMBER ->
          present && yields.numbers().isEmpty()
              ? Optional.of("this is never a number")
              : Optional.empty();
      case KEY ->
          present && yields.strings().isEmpty() && yields.arrays().isEmpty()
              ? Optional.of("this is never a text, nor a list of texts")
              : Optional.empty();
      case WHEN ->
          inspection.neverHolds()
              ? Optional.of("this never holds, so the counter counts nothing")
              : Optional.empty();
      case CONDITION, DEMAND -> Optional.empty();
    };
  }

  /**
   * The counters that the rules of a pack charge. Any other counter is always empty, so a misspelt
   * counter name would disable its rule.
   */
  static final class CountedNames {
    private record Counted(String name, Lifetime lifetime) {}

    private final Set<Counted> counted = new HashSet<>();
    private final Set<String> names = new TreeSet<>();

    CountedNames(List<Rule> rules) {
      rules.forEach(this::add);
    }

    private void add(Rule rule) {
      switch (rule) {
        case Rule.Counted(_, _, _, List<Rule.Counter> counters, _, _) ->
            counters.forEach(counter -> {
              counted.add(new Counted(counter.name(), counter.lifetime()));
              names.add(counter.name());
            });
        case Rule.Combined(_, _, List<Rule> parts, _, _) -> parts.forEach(this::add);
        case Rule.Conditional _, Rule.Validated _ -> {}
      }
    }

    /**
     * Returns the fault of a counter read, if any; {@code place} is the place of its expression.
     */
    Optional<PolicyFault> fault(CounterRead read, PolicyFault place) {
      if (read.kind() == CounterRead.Kind.WINDOW && read.seconds() < 1) {
        return Optional.empty(); // how far back is found out when it runs
      }
      Window window =
          switch (read.kind()) {
            case DAY -> Window.DAY;
            case WINDOW -> Window.reaching(read.seconds());
            case KEY -> Window.ROLLING_DAY;
            case SET -> Window.FOREVER;
          };
      if (counted.contains(new Counted(read.counter(), window))) {
        return Optional.empty();
      }
      PolicyFault fault =
          place
              .saying(
                  "no rule of the pack counts \""
                      + read.counter()
                      + "\" in the window "
                      + window.wire()
                      + ", so this never finds anything")
              .at(read.column());
      return Optional.of(
          Spelling.nearest(read.counter(), names)
              .filter(name -> counted.contains(new Counted(name, window)))
              .map(fault::suggesting)
              .orElse(fault));
    }
  }
}
