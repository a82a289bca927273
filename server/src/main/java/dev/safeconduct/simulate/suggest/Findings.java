package dev.safeconduct.simulate.suggest;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldType;
import dev.safeconduct.passport.catalog.KnownCapability;
import dev.safeconduct.passport.catalog.Narrows.Absence;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CountedLimit;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.simulate.suggest.ByPack.Result;
import dev.safeconduct.simulate.suggest.Evidence.Item;
import dev.safeconduct.text.Sha256;
import dev.safeconduct.verify.Evaluator;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;

/** What the evidence shows about a passport: which packs were used, how, and what is not known. */
final class Findings {
  private static final int FORGET_EVERY = 10_000;

  /** A cap that no counter reaches, so that counters without a cap are kept, too. */
  private static final JsonNumber UNREACHED = new JsonNumber(JsonNumber.MAX_SAFE_INTEGER);

  private final Passport passport;
  private final PolicyCatalog packs;
  private final JsonObject limits;
  private final Catalogue catalogue;
  private final Map<String, Map<String, Source>> sources;
  private final Map<String, Observations> byPack = new ConcurrentSkipListMap<>();
  private final Map<String, Gap> unknown = new TreeMap<>();
  private final Map<String, Seen> elsewhere = new TreeMap<>();
  private final Set<String> frozen = new HashSet<>();
  private final Map<String, LimitPlace> places = new TreeMap<>();
  private final MessageDigest ids = Sha256.begin();
  private boolean allFrozen;
  private long decisions;
  private long beyond;

  /** Decisions that cannot be replayed, for one reason, and an example. */
  record Gap(long times, UUID example) {}

  /** The members of the context with regions and MCP names, by the passport's members. */
  private static final Map<String, Source> ELSEWHERE =
      Map.of(
          "regions", text("region"),
          "mcp.servers", text("mcp_servers", "mcp_server"),
          "mcp.tools", text("mcp_tools", "mcp_tool"));

  Findings(
      Passport passport,
      PolicyCatalog packs,
      Catalogue catalogue,
      Map<String, Map<String, Source>> sources) {
    this.passport = passport;
    this.packs = packs;
    this.limits = passport.document().child(Candidate.LIMITS);
    this.catalogue = catalogue;
    this.sources = sources;
    for (PolicyPack pack : packs.all()) {
      LimitPlace.of(pack, limits, catalogue)
          .ifPresent(place -> places.put(pack.id().value(), place));
    }
  }

  private static Source text(String... fields) {
    return new Source(
        Source.As.TEXT,
        List.of(fields),
        Optional.empty(),
        "",
        Map.of(),
        Optional.empty(),
        JsonObject.EMPTY);
  }

  /** Where each built-in pack finds its limits. */
  Map<String, LimitPlace> places() {
    return places;
  }

  /** The decisions that cannot be replayed, by reason. */
  Map<String, Gap> unknown() {
    return unknown;
  }

  /** What was seen of regions, MCP servers and MCP tools, by the passport's member. */
  Map<String, Seen> elsewhere() {
    return elsewhere;
  }

  /** Returns what was seen of a limit's pack, or of its report type; empty if nothing was. */
  Optional<Observations> observed(Candidate.Limit limit) {
    return Optional.ofNullable(byPack.get(limit.pack()))
        .map(seen -> seen.types().getOrDefault(limit.place().path().getLast(), seen));
  }

  /** The number of decisions of the period, without those that the present passport denies. */
  long decisions() {
    return decisions;
  }

  /** The number of decisions that the present passport denies. */
  long beyond() {
    return beyond;
  }

  void read(Evidence evidence, Evaluator evaluator) {
    JsonObject uncapped = uncapped();
    boolean _ =
        evidence.each(
            new ByPack(pack -> new Observing(pack, evaluator, uncapped)),
            (item, result) -> {
              switch (item) {
                case Item.Unrecorded missing -> missing(missing);
                case Item.Known known when known.lead() -> {} // only fills counters
                case Item.Known _ when result != Result.ALLOWS -> beyond++;
                case Item.Known known -> {
                  count(known.id());
                  ELSEWHERE.forEach(
                      (member, source) -> addElsewhere(member, source, known.context().context()));
                }
              }
              return true;
            });
  }

  /** Sees what the actions of one pack need. */
  private final class Observing implements ByPack.PackRun {
    private final PolicyPack pack;
    private final MemoryCounters counters = new MemoryCounters();
    private final Judge judge;
    private long read;

    Observing(PolicyPack pack, Evaluator evaluator, JsonObject uncapped) {
      this.pack = pack;
      judge = new Judge(evaluator, counters, passport, uncapped);
    }

    @Override
    public Result take(Item.Known item) {
      if (++read % FORGET_EVERY == 0) {
        counters.forget(item.at());
      }
      if (!(judge.outcome(item, false) instanceof Outcome.Allow allow)) {
        return Result.DENIES;
      }
      if (!item.lead()) {
        JsonObject context = item.context().context();
        Observations observations = used(pack);
        observations.add(item);
        observations.addCounters(
            passport.owner(), passport.agentId(), context, allow, counters, item.at());
      }
      counters.charge(allow, item.released());
      return Result.ALLOWS;
    }
  }

  /** {@code sha256:} and hex digits over the ids of the counted decisions; once. */
  String digest() {
    return "sha256:" + Sha256.hex(ids.digest());
  }

  private void count(UUID id) {
    decisions++;
    ids.update(
        ByteBuffer.allocate(16)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array());
  }

  private void missing(Item.Unrecorded item) {
    count(item.id());
    String pack = item.pack().map(found -> found.id().value() + ": ").orElse("");
    unknown.merge(
        pack + item.why(),
        new Gap(1, item.id()),
        (old, _) -> new Gap(old.times() + 1, old.example()));
    item.pack().ifPresentOrElse(this::keep, () -> allFrozen = true);
  }

  /** Keeps the capabilities that a pack asks for, and the limits where it looks for its own. */
  private void keep(PolicyPack pack) {
    used(pack);
    frozen.add(pack.id().value());
    for (PolicyPack other : packs.all()) {
      boolean shared =
          other.containers().stream()
              .anyMatch(key -> pack.containers().stream().anyMatch(own -> overlap(key, own)));
      if (shared) {
        frozen.add(other.id().value());
      }
    }
  }

  private static boolean overlap(String key, String other) {
    return key.equals(other) || key.startsWith(other + ".") || other.startsWith(key + ".");
  }

  private void addElsewhere(String member, Source source, JsonObject context) {
    Optional<List<String>> some = source.entries(context, List.of());
    if (some.isEmpty()) {
      elsewhere.computeIfAbsent(member, _ -> new Seen()).indescribable();
    } else if (!some.get().isEmpty()) {
      elsewhere.computeIfAbsent(member, _ -> new Seen()).add(some.get());
    }
  }

  private Observations used(PolicyPack pack) {
    String id = pack.id().value();
    return byPack.computeIfAbsent(
        id,
        _ ->
            new Observations(
                pack, Optional.ofNullable(places.get(id)), sources.getOrDefault(id, Map.of())));
  }

  /** Returns the passport with caps, far away, for counters that it does not cap. */
  private JsonObject uncapped() {
    JsonObject result = limits;
    for (PolicyPack pack : packs.all()) {
      LimitPlace place = places.get(pack.id().value());
      if (place == null) {
        continue;
      }
      JsonObject members = place.members();
      for (CountedLimit counted : CountedLimit.of(pack)) {
        Field field = place.container().fields().get(counted.limit());
        if (field != null
            && field.type() == FieldType.NUMBER
            && field.narrows().absence() == Absence.ANY
            && members.present(place.name(field)) == null) {
          members = members.with(field.name(), UNREACHED);
        }
      }
      result = place.in(result, members);
    }
    return passport.document().with(Candidate.LIMITS, result);
  }

  /** Returns a candidate with everything narrowed that the evidence can show. */
  Candidate candidate() {
    var candidate = new Candidate(passport.document(), catalogue);
    if (decisions == 0) {
      return candidate;
    }
    byPack.forEach((id, observations) -> {
      LimitPlace place = places.get(id);
      if (place != null && !allFrozen && !frozen.contains(id)) {
        narrow(candidate, id, place, observations);
      }
    });
    if (!allFrozen) {
      unused().forEach(candidate::drop);
      byPack.forEach((id, observations) -> narrowParams(candidate, id, observations));
    }
    if (unknown.isEmpty()) {
      elsewhere.forEach((list, seen) -> narrow(candidate, list, seen));
    }
    candidate.restoreWider();
    return candidate;
  }

  /** Keeps the entries that were used of a list beside the limits. */
  private void narrow(Candidate candidate, String list, Seen seen) {
    Optional<JsonArray> present = Candidate.list(passport.document(), list);
    if (present.isEmpty() || !seen.isDescribable()) {
      return;
    }
    Set<String> used = seen.entries().keySet();
    boolean regions = list.equals(Candidate.REGIONS);
    List<String> texts = present.get().texts();
    List<String> narrower =
        !regions && texts.contains("*")
            ? List.copyOf(new TreeSet<>(used))
            : texts.stream()
                .filter(entry -> used.stream().anyMatch(one -> covers(regions, entry, one)))
                .toList();
    if (!narrower.isEmpty() && !narrower.equals(texts)) {
      candidate.narrow(list, JsonArray.ofStrings(narrower));
    }
  }

  private static boolean covers(boolean region, String entry, String used) {
    return region
        ? JudgedPassport.of(JsonObject.of(Candidate.REGIONS, JsonArray.ofStrings(List.of(entry))))
            .permissions()
            .covers(used)
        : entry.equals(used);
  }

  /** Narrows the params of the capabilities that a pack asks for, unless another one reads them. */
  private void narrowParams(Candidate candidate, String id, Observations observations) {
    for (JsonValue each : passport.document().list(Candidate.CAPABILITIES)) {
      String capability = Candidate.id(each).orElse("");
      JsonObject params =
          each instanceof JsonObject object ? object.child(Candidate.PARAMS) : JsonObject.EMPTY;
      boolean only =
          byPack.values().stream().filter(pack -> asks(pack.pack(), capability)).count() == 1;
      if (params.isEmpty()
          || !only
          || frozen.contains(id)
          || !asks(observations.pack(), capability)) {
        continue;
      }
      catalogue
          .capability(capability)
          .map(KnownCapability::params)
          .orElse(Map.of())
          .forEach((name, field) -> {
            JsonValue before = params.present(name);
            Optional<Seen> seen = observations.of(List.of(name));
            Narrower.Proposal proposal =
                Narrower.of(
                    field, before, Optional.ofNullable(observations.sources().get(name)), seen);
            if (before != null && proposal.value() != null) {
              candidate.narrow(
                  new Candidate.Param(id, capability, name),
                  new Candidate.Change(
                      before,
                      proposal.value(),
                      seen.map(Seen::times).orElse(observations.times()),
                      proposal.why()));
            }
          });
    }
  }

  private boolean asks(PolicyPack pack, String capability) {
    return pack.capabilities().stream().anyMatch(id -> canonical(id).equals(canonical(capability)));
  }

  boolean isAllFrozen() {
    return allFrozen;
  }

  private void narrow(Candidate candidate, String id, LimitPlace place, Observations observations) {
    narrowFields(candidate, id, place, observations);
    place
        .types()
        .forEach((type, own) -> {
          Observations seen = observations.types().get(type);
          if (seen != null && seen.times() > 0) {
            narrowFields(candidate, id, own, seen);
          }
        });
  }

  private void narrowFields(
      Candidate candidate, String id, LimitPlace place, Observations observations) {
    for (Field field : new LinkedHashSet<>(place.container().fields().values())) {
      String name = place.name(field);
      JsonValue before = place.members().present(name);
      Optional<Source> source = Optional.ofNullable(observations.sources().get(field.name()));
      Optional<Seen> seen = observations.of(List.of(field.name(), name));
      Narrower.Proposal proposal = Narrower.of(field, before, source, seen);
      Optional<String> stays = stays(place, source);
      if (stays.isPresent() && proposal.value() != null) {
        proposal = new Narrower.Proposal(null, stays.get());
      }
      if (!proposal.why().isEmpty()) {
        var limit = new Candidate.Limit(id, place, field, name);
        long times = seen.map(Seen::times).orElse(observations.times());
        if (proposal.value() != null) {
          candidate.narrow(
              limit, new Candidate.Change(before, proposal.value(), times, proposal.why()));
        } else if (before != null) {
          candidate
              .restored()
              .put(limit, new Candidate.Change(before, before, times, proposal.why()));
        }
      }
    }
  }

  /** Returns why a limit stays although less of it was needed, if it does. */
  private Optional<String> stays(LimitPlace place, Optional<Source> source) {
    return place.fits(limits, catalogue)
        ? source
            .flatMap(Source::lifetime)
            .flatMap(lifetime -> lifetime.frees(place.members()))
            .map(cap ->
                "Less would allow more: what has no duration of its own counts that long for "
                    + cap
                    + ".")
        : Optional.of(
            "It stands outside a capability's container, and some members beside it are not known"
                + " there.");
  }

  /** Returns the capabilities that no pack of the evidence asks for. */
  private Set<String> unused() {
    var needed = new HashSet<String>();
    byPack
        .values()
        .forEach(used -> used.pack().capabilities().forEach(id -> needed.add(canonical(id))));
    var unused = new LinkedHashSet<String>();
    passport
        .document()
        .array(Candidate.CAPABILITIES)
        .ifPresent(held ->
            held.forEach(each ->
                Candidate.id(each)
                    .filter(id -> !needed.contains(canonical(id)))
                    .ifPresent(unused::add)));
    return unused;
  }

  String canonical(String capability) {
    return catalogue.canonicalId(capability).orElse(capability);
  }
}
