package dev.safeconduct.decision;

import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import dev.safeconduct.policy.schema.SchemaNode;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which denials observe mode turns into an allow. All others stay denials.
 *
 * @param ownLists the validators that compare with the passport's own limits only; every other one
 *     also holds protections that no passport can lift
 * @param alwaysDenied reason codes that stay denials, whichever rule gives them
 * @param blockWords words in conditions and names of limits that list what the owner forbids
 * @param moneyCapabilities the capabilities of packs that move money or export data
 * @param moneyWords words by which fields, limits and rules are about money
 */
public record ObserveRules(
    Set<String> ownLists,
    Set<String> alwaysDenied,
    Set<String> blockWords,
    Set<String> moneyCapabilities,
    Set<String> moneyWords) {
  /**
   * The places between the words of names: {@code amount_cents}, {@code amountCents}, USDAmount.
   */
  private static final Pattern BETWEEN_WORDS =
      Pattern.compile("[^\\p{L}]+|(?<=\\p{Ll})(?=\\p{Lu})|(?<=\\p{Lu})(?=\\p{Lu}\\p{Ll})");

  public ObserveRules {
    ownLists = Set.copyOf(ownLists);
    alwaysDenied = Set.copyOf(alwaysDenied);
    blockWords = Set.copyOf(blockWords);
    moneyCapabilities = Set.copyOf(moneyCapabilities);
    moneyWords = Set.copyOf(moneyWords);
  }

  /**
   * Whether the pack is about money; it is observed only if an owner says so. It is if a capability
   * is, if a name in its context or rules is, and if a rule adds up amounts of anything.
   */
  public boolean concernsMoney(PolicyPack pack) {
    return pack.capabilities().stream().anyMatch(moneyCapabilities::contains)
        || pack.contextSchema().fields().stream().anyMatch(this::namesMoney)
        || describesMoney(pack.contextSchema().sent())
        || pack.conditions().stream().anyMatch(demand -> namesMoney(demand.condition().source()))
        || pack.rules().stream().anyMatch(this::judgesMoney);
  }

  private boolean describesMoney(SchemaNode node) {
    return node.properties().keySet().stream().anyMatch(this::namesMoney)
        || Stream.of(
                node.properties().values().stream(), node.items().stream(), node.others().stream())
            .flatMap(nodes -> nodes)
            .anyMatch(this::describesMoney);
  }

  private boolean judgesMoney(Rule rule) {
    return Stream.concat(rule.limits().stream(), rule.fields().stream()).anyMatch(this::namesMoney)
        || switch (rule) {
          case Rule.Conditional conditional -> namesMoney(conditional.condition().source());
          case Rule.Validated _ -> false;
          case Rule.Counted counted ->
              counted.counters().stream().anyMatch(counter -> counter.amount().isPresent());
          case Rule.Combined combined -> combined.parts().stream().anyMatch(this::judgesMoney);
        };
  }

  private boolean namesMoney(String text) {
    return holds(text, moneyWords);
  }

  private static boolean holds(String text, Set<String> words) {
    return BETWEEN_WORDS
        .splitAsStream(text)
        .map(word -> word.toLowerCase(Locale.ROOT))
        .anyMatch(word ->
            words.contains(word)
                || (word.endsWith("s") && words.contains(word.substring(0, word.length() - 1))));
  }

  /** Whether a failure of the check, which is not a rule, may be observed. */
  boolean admits(CheckOrder check) {
    return switch (check) {
      case CAPABILITY, MCP_COMPANIONS, REGION -> true;
      case PASSPORT_STATUS, PASSPORT_EXPIRY, ASSURANCE, CONTEXT, RULES, APPROVAL -> false;
    };
  }

  /** Whether a failure of the rule may be observed. */
  boolean admits(Rule rule) {
    return !alwaysDenied.contains(rule.denyCode()) && comparesOwnLimits(rule);
  }

  private boolean comparesOwnLimits(Rule rule) {
    return switch (rule) {
      case Rule.Conditional conditional -> !forbidsByName(conditional);
      case Rule.Validated validated -> ownLists.contains(validated.validator());
      case Rule.Counted counted ->
          counted.counters().stream()
              .noneMatch(counter ->
                  counter.cap() instanceof Rule.Cap.Measured(String validator)
                      && !ownLists.contains(validator));
      case Rule.Combined combined -> combined.parts().stream().allMatch(this::comparesOwnLimits);
    };
  }

  /** Whether the condition compares with a list of what the owner forbids. */
  private boolean forbidsByName(Rule.Conditional rule) {
    // The source, too: it may call block, or name a list inside a limit.
    return holds(rule.condition().source(), blockWords)
        || rule.limits().stream().anyMatch(limit -> holds(limit, blockWords));
  }
}
