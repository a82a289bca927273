package dev.safeconduct.simulate;

import dev.safeconduct.decision.CompiledPermissions;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.CounterKey;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.UsageLookup;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How much of a counted limit an agent has used.
 *
 * @param entry the entry of the limit, for example a currency, or the value of a request that it is
 *     counted for; empty for a limit without
 */
public record CountedUse(PolicyPack pack, CountedLimit limit, String entry, long used, double cap) {
  /** A limit that a passport sets. */
  private record Given(CountedLimit limit, String entry, double cap) {}

  /**
   * Returns the use of the counted limits that a passport sets for a pack.
   *
   * @param seen the values of a context's field that were asked for lately: a limit that is counted
   *     for each value, for example for each user, has a use for each of them
   */
  public static List<CountedUse> of(
      OrgId org,
      AgentId agent,
      JsonObject passport,
      PolicyPack pack,
      Function<String, List<String>> seen,
      UsageLookup usage,
      Instant now) {
    JsonObject limits =
        CompiledPermissions.of(JudgedPassport.of(passport).permissions(), pack).limits().values();
    Map<CounterKey, Given> keys = new LinkedHashMap<>();
    for (CountedLimit limit : CountedLimit.of(pack)) {
      JsonValue value = limits.present(limit.limit());
      Map<String, @Nullable JsonValue> entries = new LinkedHashMap<>();
      if (!limit.member().isEmpty() && value instanceof JsonObject members) {
        members.forEach((entry, amounts) -> entries.put(entry, member(amounts, limit.member())));
      } else if (value != null && limit.by().isEmpty()) {
        entries.put("", value);
      } else if (value != null) {
        seen.apply(limit.by()).forEach(text -> entries.put(text, value));
      }
      boolean known = limit.key().isEmpty() || limit.key().equals(limit.by());
      entries.forEach((entry, cap) -> {
        if (cap instanceof JsonNumber(double most, _) && known) {
          JsonObject context = JsonObject.EMPTY.with(limit.by(), entry);
          limit
              .key(org, agent, pack, context)
              .ifPresent(key -> keys.put(key, new Given(limit, entry, most)));
        }
      });
    }
    var totals = usage.totals(keys.keySet(), now);
    return keys.entrySet().stream()
        .map(each ->
            new CountedUse(
                pack,
                each.getValue().limit(),
                each.getValue().entry(),
                totals.total(each.getKey()),
                each.getValue().cap()))
        .toList();
  }

  private static @Nullable JsonValue member(@Nullable JsonValue amounts, String name) {
    return amounts instanceof JsonObject members ? members.present(name) : null;
  }
}
