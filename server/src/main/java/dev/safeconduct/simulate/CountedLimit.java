package dev.safeconduct.simulate;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.Rule;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A limit that caps one counter of a pack.
 *
 * @param limit its name, or that of the map it is in
 * @param key the context field with the key of the map; empty for a limit that is in no map
 * @param member its name in the map
 * @param counter the counter's name and lifetime, as in its key
 * @param by the context field that the counter is kept by; empty for none
 */
public record CountedLimit(
    String limit, String key, String member, List<String> counter, String by) {
  private static final Pattern PLAIN = Pattern.compile("limits\\.(\\w+)");
  private static final Pattern OF_MAP =
      Pattern.compile("get\\(limits\\.(\\w+), context\\.(\\w+), '(\\w+)'\\)");
  private static final Pattern FIELD = Pattern.compile("context\\.(\\w+)");

  /**
   * Returns the counted limits of a pack whose caps and keys are a limit and a field, each once:
   * several conditions may charge one counter.
   */
  public static List<CountedLimit> of(PolicyPack pack) {
    var found = new LinkedHashSet<CountedLimit>();
    for (JsonObject json : pack.document().objects("evaluation_rules")) {
      JsonArray counters = json.list("counters");
      pack.rules().stream()
          .filter(rule -> json.string("name").equals(Optional.of(rule.name())))
          .filter(Rule.Counted.class::isInstance)
          .map(Rule.Counted.class::cast)
          .filter(rule -> rule.counters().size() == counters.size())
          .forEach(rule -> {
            for (int i = 0; i < counters.size(); i++) {
              of((JsonObject) counters.get(i), rule.counters().get(i)).ifPresent(found::add);
            }
          });
    }
    return List.copyOf(found);
  }

  private static Optional<CountedLimit> of(JsonObject json, Rule.Counter counter) {
    String max = json.text("max");
    String key = json.text("key");
    Matcher by = FIELD.matcher(key);
    if (!key.isEmpty() && !by.matches()) {
      return Optional.empty();
    }
    List<String> named = List.of(counter.name(), counter.lifetime().wire());
    String field = key.isEmpty() ? "" : by.group(1);
    Matcher plain = PLAIN.matcher(max);
    if (plain.matches()) {
      return Optional.of(new CountedLimit(plain.group(1), "", "", named, field));
    }
    Matcher map = OF_MAP.matcher(max);
    return map.matches()
        ? Optional.of(new CountedLimit(map.group(1), map.group(2), map.group(3), named, field))
        : Optional.empty();
  }

  /** Returns the key of the counter for a context; empty if the context has no value for it. */
  public Optional<CounterKey> key(OrgId org, AgentId agent, PolicyPack pack, JsonObject context) {
    String value =
        by.isEmpty() ? "" : context.present(by) instanceof JsonString(String text) ? text : "";
    if (!by.isEmpty() && value.isEmpty()) {
      return Optional.empty();
    }
    String registry = Decision.Source.REGISTRY.wire();
    return Optional.of(
        CounterKey.of(
            registry,
            org.value(),
            agent.value(),
            registry,
            pack.id().value(),
            counter.get(0),
            counter.get(1),
            value));
  }
}
