package dev.safeconduct.simulate.suggest;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Charge;
import dev.safeconduct.passport.catalog.LimitContainer;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CountedLimit;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.simulate.suggest.Evidence.Item;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the allowed actions of one pack needed, limit by limit. */
final class Observations {
  private final PolicyPack pack;
  private final JsonObject limits;
  private final Map<String, Source> sources;
  private final List<CountedLimit> counted;
  private final String per;
  private final Map<String, Observations> types = new TreeMap<>();
  private final Map<String, Seen> seen = new HashMap<>();
  private long times;
  private Item.@Nullable Known example;

  /**
   * Creates empty observations.
   *
   * @param place where the passport has limits for the pack, if anywhere
   */
  Observations(PolicyPack pack, Optional<LimitPlace> place, Map<String, Source> sources) {
    this.pack = pack;
    this.limits = place.map(LimitPlace::members).orElse(JsonObject.EMPTY);
    this.sources = sources;
    this.counted = CountedLimit.of(pack);
    this.per = place.map(LimitPlace::container).map(LimitContainer::per).orElse("");
    place
        .map(LimitPlace::types)
        .orElse(Map.of())
        .forEach((type, own) -> types.put(type, new Observations(pack, Optional.of(own), sources)));
  }

  /** Returns what the actions of each report type with own limits needed. */
  Map<String, Observations> types() {
    return types;
  }

  PolicyPack pack() {
    return pack;
  }

  /** The number of actions. */
  long times() {
    return times;
  }

  Map<String, Source> sources() {
    return sources;
  }

  /** Returns what was seen for a limit under one of its names. */
  Optional<Seen> of(Iterable<String> names) {
    for (String name : names) {
      Seen found = seen.get(name);
      if (found != null) {
        return Optional.of(found);
      }
    }
    return Optional.empty();
  }

  /** Returns the last action. */
  Optional<Item.Known> example() {
    return Optional.ofNullable(example);
  }

  /** Adds an allowed action. */
  void add(Item.Known item) {
    JsonObject context = item.context().context();
    example = item;
    times++;
    Optional<Observations> typed = ofType(context);
    typed.ifPresent(own -> own.add(item));
    sources.forEach((limit, source) -> {
      if (typed.filter(own -> own.limits.present(limit) != null).isPresent()) {
        return; // the type's own limit decides
      }
      if (source.members().isEmpty()) {
        add(at(limit), source, item, limits.present(limit));
      } else if (source.key().isEmpty()) {
        JsonObject present = limits.child(limit);
        source
            .members()
            .forEach(
                (member, each) -> add(at(limit).at(member), each, item, present.present(member)));
      } else {
        source
            .keyOf(context)
            .ifPresent(key -> {
              JsonObject present =
                  limits.object(limit).flatMap(map -> map.object(key)).orElse(JsonObject.EMPTY);
              Seen below = at(limit).at(key);
              source
                  .members()
                  .forEach(
                      (member, each) -> add(below.at(member), each, item, present.present(member)));
            });
      }
    });
  }

  /** Adds the values that the counters of an allowed action reach with it. */
  void addCounters(
      OrgId org,
      AgentId agent,
      JsonObject context,
      Outcome.Allow allow,
      MemoryCounters counters,
      Instant at) {
    Optional<Observations> typed = ofType(context);
    typed.ifPresent(own -> own.addCounters(org, agent, context, allow, counters, at));
    for (CountedLimit limit : counted) {
      if (typed.filter(own -> own.limits.present(limit.limit()) != null).isPresent()) {
        continue;
      }
      var key = limit.key(org, agent, pack, context);
      for (Charge charge : allow.charges()) {
        if (key.equals(Optional.of(charge.key()))) {
          double reached = counters.total(charge.key(), at) + charge.amount();
          if (limit.member().isEmpty()) {
            at(limit.limit()).add(reached);
          } else {
            context
                .string(limit.key())
                .ifPresent(value -> at(limit.limit()).at(value).at(limit.member()).add(reached));
          }
          break;
        }
      }
    }
  }

  private Optional<Observations> ofType(JsonObject context) {
    return types.isEmpty() ? Optional.empty() : context.string(per).map(types::get);
  }

  private Seen at(String limit) {
    return seen.computeIfAbsent(limit, _ -> new Seen());
  }

  private static void add(Seen seen, Source source, Item.Known item, @Nullable JsonValue present) {
    JsonObject context = item.context().context();
    if (source.isNumber()) {
      source.number(context, item.at()).ifPresent(seen::add);
    } else {
      List<String> listed = present instanceof JsonArray array ? array.texts() : List.of();
      Optional<List<String>> entries = source.entries(context, listed);
      if (entries.isEmpty()) {
        seen.indescribable();
      } else if (!entries.get().isEmpty()) {
        seen.add(entries.get());
      }
    }
  }
}
