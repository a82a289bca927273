package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.AgentUse.Use;
import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.Narrows.Direction;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How much of its privilege an agent does not use. It is the sum of parts, each with its reason.
 *
 * @param granted the number of capabilities of the passport
 * @param used how many of them were used in the period
 * @param lastUse when any policy last allowed something
 * @param reviewAt when a used policy falls out of the period, if it is not used again
 */
record PrivilegeScore(
    int granted,
    int used,
    Optional<Instant> lastUse,
    Optional<Instant> reviewAt,
    List<Part> parts) {
  private static final Set<String> EVERYTHING = Set.of("*", "**", "/", "/*", "/**", "mcp:*");

  /** Why a part of the privilege counts. */
  enum Reason {
    UNUSED,
    OPEN,
    FAR;

    private final String wire = name().toLowerCase(Locale.ROOT);

    String wire() {
      return wire;
    }
  }

  /**
   * A part of the score.
   *
   * @param member of the passport
   */
  record Part(String member, Reason reason, String risk, long points, String why) {
    JsonObject json() {
      return JsonObject.builder()
          .put("member", member)
          .put("reason", reason.wire())
          .put("risk", risk)
          .put("points", points)
          .put("why", why)
          .build();
    }
  }

  PrivilegeScore {
    parts = List.copyOf(parts);
  }

  long points() {
    return parts.stream().mapToLong(Part::points).sum();
  }

  /** What scores are computed by, for passports of built-in packs. */
  record Measure(PolicyCatalog packs, Catalogue catalogue, PrivilegeWeights weights) {
    static Measure of(PolicyCatalog packs) {
      return new Measure(packs, Catalogue.builtIn(), PrivilegeWeights.builtIn());
    }

    PrivilegeScore of(JsonObject passport, Map<String, Use> uses, Instant now) {
      return new Count(this, passport, uses, now.minus(weights.period())).score();
    }

    private String canonical(String capability) {
      return catalogue.canonicalId(capability).orElse(capability);
    }

    /** Returns the packs that ask for a capability. */
    private List<PolicyPack> of(String capability) {
      return packs.all().stream()
          .filter(
              pack -> pack.capabilities().stream().anyMatch(id -> canonical(id).equals(capability)))
          .toList();
    }
  }

  /** The count for one passport. */
  private static final class Count {
    private final Measure measure;
    private final JsonObject passport;
    private final Map<String, Use> uses;
    private final Instant since;
    private final List<Part> parts = new ArrayList<>();

    Count(Measure measure, JsonObject passport, Map<String, Use> uses, Instant since) {
      this.measure = measure;
      this.passport = passport;
      this.uses = uses;
      this.since = since;
    }

    private boolean isUsed(String policy) {
      Use use = uses.get(policy);
      return use != null && !use.last().isBefore(since);
    }

    PrivilegeScore score() {
      var held = new TreeSet<String>();
      for (JsonValue each : passport.list(Candidate.CAPABILITIES)) {
        Candidate.id(each).map(measure::canonical).ifPresent(held::add);
      }
      // A policy of the organization may ask for any capability.
      boolean others =
          uses.keySet().stream().anyMatch(id -> measure.packs().find(id).isEmpty() && isUsed(id));
      int used = 0;
      var packs = new LinkedHashSet<PolicyPack>();
      for (String capability : held) {
        List<PolicyPack> asking = measure.of(capability);
        List<PolicyPack> active =
            asking.stream().filter(pack -> isUsed(pack.id().value())).toList();
        packs.addAll(active);
        if (!active.isEmpty()) {
          used++;
        } else if (!others || !asking.isEmpty()) {
          unused(capability, asking);
        }
      }
      packs.forEach(this::limits);
      parts.sort(Comparator.comparingLong(Part::points).reversed().thenComparing(Part::member));
      return new PrivilegeScore(
          held.size(),
          used,
          uses.values().stream().map(Use::last).max(Instant::compareTo),
          uses.values().stream()
              .map(Use::last)
              .filter(last -> !last.isBefore(since))
              .min(Instant::compareTo)
              .map(last -> last.plus(measure.weights().period()).plusMillis(1)),
          parts);
    }

    private void add(String member, String capability, Reason reason, String why) {
      PrivilegeWeights.Risk risk = measure.weights().of(capability);
      parts.add(
          new Part(
              member,
              reason,
              risk.name(),
              (long) measure.weights().points(reason) * risk.weight(),
              why));
    }

    private void unused(String capability, List<PolicyPack> asking) {
      Optional<Instant> last =
          asking.stream()
              .map(pack -> uses.get(pack.id().value()))
              .flatMap(use -> Optional.ofNullable(use).stream())
              .map(Use::last)
              .max(Instant::compareTo);
      add(
          Candidate.CAPABILITIES + "." + capability,
          capability,
          Reason.UNUSED,
          "Not used in the last %d days; %s."
              .formatted(
                  measure.weights().period().toDays(),
                  last.map(at -> "the last use was on " + IsoInstant.millis(at).substring(0, 10))
                      .orElse("no use is known")));
    }

    private void limits(PolicyPack pack) {
      JsonObject all = passport.child(Candidate.LIMITS);
      Use use = uses.get(pack.id().value());
      LimitPlace place = LimitPlace.of(pack, all, measure.catalogue()).orElse(null);
      if (place == null || use == null) {
        return;
      }
      String capability = measure.canonical(pack.capabilities().getFirst());
      for (Field field : new LinkedHashSet<>(place.container().fields().values())) {
        String name = place.name(field);
        String member = Candidate.LIMITS + "." + String.join(".", place.path()) + "." + name;
        JsonValue value = place.members().present(name);
        if (field.narrows().direction() != Direction.LESS) {
          continue;
        }
        if (value instanceof JsonArray list && allowsAll(list)) {
          add(member, capability, Reason.OPEN, "The list allows everything.");
        } else if (value instanceof JsonNumber(double cap, _)
            && field.unit().contains(" per ")
            && cap > (double) measure.weights().far() * use.mostInDay()) {
          add(
              member,
              capability,
              Reason.FAR,
              "The cap is %d %s, but the maximum of a whole day was %d."
                  .formatted((long) cap, field.unit(), use.mostInDay()));
        }
      }
    }

    private static boolean allowsAll(JsonArray list) {
      return list.elements().stream()
          .anyMatch(each -> each instanceof JsonString(String text) && EVERYTHING.contains(text));
    }
  }

  /**
   * What unused privilege counts ({@code privilege.json}).
   *
   * @param period a capability is unused if nothing needed it for that long
   * @param far a cap is far above the use if it is more than so many times the busiest day
   * @param risks by capability
   * @param otherwise the risk of all others
   */
  record PrivilegeWeights(
      Duration period,
      int far,
      Map<PrivilegeScore.Reason, Integer> reasons,
      Map<String, Risk> risks,
      Risk otherwise) {
    /** A class of capabilities; points are multiplied by its weight. */
    record Risk(String name, int weight) {}

    int points(PrivilegeScore.Reason reason) {
      return reasons.getOrDefault(reason, 0);
    }

    Risk of(String capability) {
      return risks.getOrDefault(capability, otherwise);
    }

    static PrivilegeWeights builtIn() {
      return read(ReleaseFile.read("privilege.json"));
    }

    private static PrivilegeWeights read(JsonObject file) {
      var risks = new HashMap<String, Risk>();
      var otherwise = new Risk("low", 1);
      JsonObject classes = file.object("risks").orElseThrow();
      for (String name : classes.names()) {
        JsonObject json = classes.object(name).orElseThrow();
        var risk = new Risk(name, whole(json, "weight"));
        JsonArray members = json.list("capabilities");
        members.texts().forEach(capability -> risks.put(capability, risk));
        otherwise = members.isEmpty() ? risk : otherwise;
      }
      var reasons = new EnumMap<PrivilegeScore.Reason, Integer>(PrivilegeScore.Reason.class);
      JsonObject points = file.object("points").orElseThrow();
      for (PrivilegeScore.Reason reason : PrivilegeScore.Reason.values()) {
        reasons.put(reason, whole(points, reason.wire()));
      }
      return new PrivilegeWeights(
          Duration.ofDays(whole(file, "period_days")),
          whole(file, "far"),
          Map.copyOf(reasons),
          Map.copyOf(risks),
          otherwise);
    }

    private static int whole(JsonObject json, String name) {
      if (json.get(name) instanceof JsonNumber(double number, _)) {
        return (int) number;
      }
      throw new IllegalStateException("privilege.json has no number " + name);
    }
  }
}
