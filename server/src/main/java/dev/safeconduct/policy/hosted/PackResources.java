package dev.safeconduct.policy.hosted;

import dev.safeconduct.access.Rights;
import dev.safeconduct.deploy.Resource;
import dev.safeconduct.deploy.ResourceChange;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Packs in files: the document, and whether it is active. A file publishes a version at need. */
public final class PackResources implements ResourceKind {
  private static final String KIND = "Pack";
  private static final String ID = "policy_id";
  private static final String DOCUMENT = "document";
  private static final String ACTIVE = "active";
  private static final int PAGE = 500;

  private final HostedPacks packs;
  private final PublishPack publish;
  private final UsePack use;
  private final Recorder recorder;

  public PackResources(HostedPacks packs, PublishPack publish, UsePack use, Recorder recorder) {
    this.packs = packs;
    this.publish = publish;
    this.use = use;
    this.recorder = recorder;
  }

  @Override
  public List<String> names() {
    return List.of(KIND);
  }

  @Override
  public long count(OrgId org) {
    return packs.count(org);
  }

  @Override
  public List<JsonObject> describe(Planning planning) {
    var described = new ArrayList<JsonObject>();
    List<HostedPack> page;
    Optional<String> after = Optional.empty();
    do {
      page = packs.list(planning.org(), after, PAGE);
      for (HostedPack pack : page) {
        JsonObject.Builder shown =
            JsonObject.builder()
                .put("kind", KIND)
                .put(ID, pack.id().value())
                .put(DOCUMENT, document(pack));
        if (pack.active().isEmpty()) {
          shown.put(ACTIVE, false);
        }
        described.add(shown.build());
        after = Optional.of(pack.id().value());
      }
    } while (page.size() == PAGE);
    return described;
  }

  /** Returns the active document, or else the latest. */
  private JsonObject document(HostedPack pack) {
    return packs
        .document(pack.org(), pack.id(), pack.active().orElse(pack.latest()).number())
        .orElse(JsonObject.EMPTY);
  }

  @Override
  public Optional<JsonObject> current(OrgId org, String object) {
    return find(org, object)
        .map(pack ->
            applied(pack.active().orElse(pack.latest()).digest(), pack.active().isPresent()));
  }

  private Optional<HostedPack> find(OrgId org, String id) {
    return PolicyId.parse(id).flatMap(parsed -> packs.find(org, parsed));
  }

  private static JsonObject applied(String digest, boolean active) {
    return JsonObject.builder().put(DOCUMENT, digest).put(ACTIVE, active).build();
  }

  /**
   * A pack as a file wants it.
   *
   * @param pack empty for the document that is there: it is not checked again
   */
  private record Wanted(
      Resource resource,
      PolicyId id,
      String digest,
      Optional<PolicyPack> pack,
      JsonObject document,
      boolean active,
      Optional<HostedPack> seen) {
    boolean isAsSeen() {
      return pack.isEmpty();
    }
  }

  @Override
  public List<ResourceChange> plan(Planning planning, List<Resource> resources) {
    if (resources.isEmpty()) {
      return List.of();
    }
    OrgId org = planning.org();
    // Read before the packs: a change in between shows when the plan is written.
    long lastChange = packs.lastChange(org);
    List<Wanted> all =
        resources.stream()
            .map(resource -> resource.located(() -> wanted(planning, resource)))
            .toList();
    List<Wanted> active =
        all.stream().filter(Wanted::active).filter(each -> !each.isAsSeen()).toList();
    if (!active.isEmpty()) {
      active
          .getFirst()
          .resource()
          .located(() -> {
            use.demandFit(
                org,
                active.stream().flatMap(each -> each.pack().stream()).toList(),
                all.stream()
                    .filter(each -> !each.active())
                    .map(Wanted::id)
                    .collect(Collectors.toUnmodifiableSet()));
            return true;
          });
    }
    var changes = new ArrayList<ResourceChange>();
    OptionalLong first = OptionalLong.of(lastChange);
    for (Wanted each : all) {
      ResourceChange change =
          each.isAsSeen()
              ? ResourceChange.unchanged(target(each), seen(each.seen()))
              : change(planning, each, first);
      first = each.isAsSeen() ? first : OptionalLong.empty();
      changes.add(change.applying(applied(each.digest(), each.active()), List.of()));
    }
    return changes;
  }

  private Wanted wanted(Planning planning, Resource resource) {
    OrgId org = planning.org();
    Members members = resource.members().only(Set.of(ID, DOCUMENT, ACTIVE));
    Optional<String> id = members.text(ID);
    JsonObject given = members.requiredMembers(DOCUMENT).object();
    JsonObject document =
        given.has("id") || given.has(ID) || id.isEmpty() ? given : given.with("id", id.get());
    boolean active = members.flag(ACTIVE).orElse(true);
    Optional<String> named = document.string("id").or(() -> document.string(ID));
    if (id.isPresent() && named.isPresent() && !id.equals(named)) {
      throw members.fault(ID, ID + " is not the document's id " + named.get() + ".");
    }
    String digest = CanonicalJson.digest(document);
    Optional<HostedPack> present = named.flatMap(text -> find(org, text));
    if (present.filter(seen -> isSame(seen, digest, active)).isPresent()) {
      PolicyId known = present.get().id();
      return new Wanted(resource, known, digest, Optional.empty(), document, active, present);
    }
    planning.countChange();
    PolicyPack pack = publish.check(document);
    Optional<HostedPack> seen = packs.find(org, pack.id());
    if (seen.isEmpty()) {
      publish.demandRoom(org, pack);
    }
    return new Wanted(resource, pack.id(), digest, Optional.of(pack), document, active, seen);
  }

  private static boolean isSame(HostedPack seen, String digest, boolean active) {
    return seen.active().isPresent() == active
        && seen.active().orElse(seen.latest()).digest().equals(digest);
  }

  private static ResourceChange.Target target(Wanted wanted) {
    String id = wanted.id().value();
    return new ResourceChange.Target(KIND, id, id);
  }

  private static String seen(Optional<HostedPack> pack) {
    return pack.map(found -> Long.toString(found.revision())).orElse("");
  }

  private ResourceChange change(Planning planning, Wanted wanted, OptionalLong lastChange) {
    Optional<HostedPack> seen = wanted.seen();
    Optional<PackVersion> latest = seen.map(HostedPack::latest);
    boolean published =
        latest
            .filter(version -> version.digest().equals(wanted.digest()))
            .filter(version -> version.deprecatedAt().isEmpty() || !wanted.active())
            .isPresent();
    Optional<PackVersion> next =
        published
            ? Optional.empty()
            : Optional.of(
                publish.next(
                    planning.origin(), wanted.pack().orElseThrow(), wanted.document(), seen));
    PackVersion version = next.or(() -> latest).orElseThrow();
    if (!wanted.active() && seen.flatMap(HostedPack::active).isPresent()) {
      wanted.resource().located(() -> demandWithdraw(planning, wanted.id()));
    }
    Instant now = recorder.now();
    Optional<HostedPacks.Use> inUse = inUse(wanted, version, now);
    var entries = new ArrayList<AuditRecord>();
    if (next.isPresent()) {
      String what = seen.isEmpty() ? "created" : "version_added";
      entries.add(record(planning, wanted.id(), what, version, now));
    }
    if (inUse.isPresent()) {
      String what = wanted.active() ? "activated" : "deprecated";
      PackVersion concerned =
          wanted.active() ? version : seen.flatMap(HostedPack::active).orElse(version);
      entries.add(record(planning, wanted.id(), what, concerned, now));
    }
    var write =
        new HostedPacks.Together(
                planning.org(),
                wanted.id(),
                seen,
                next,
                wanted.document(),
                inUse,
                lastChange,
                entries)
            .write();
    ResourceChange change =
        seen.isEmpty()
            ? ResourceChange.create(target(wanted), wanted.document(), List.of(), write)
            : ResourceChange.update(
                target(wanted), seen(seen), differences(seen.get(), wanted), write);
    if (wanted.active()) {
      return change.replayedWith(wanted.document());
    }
    return seen.flatMap(HostedPack::active).isPresent()
        ? change.replayedWith(ResourceChange.WITHDRAWN)
        : change;
  }

  private List<ResourceChange.Difference> differences(HostedPack seen, Wanted wanted) {
    var found =
        new ArrayList<>(ResourceChange.Difference.between(document(seen), wanted.document()));
    boolean active = seen.active().isPresent();
    if (active != wanted.active()) {
      found.add(
          new ResourceChange.Difference(
              ACTIVE, JsonBoolean.of(active), JsonBoolean.of(wanted.active())));
    }
    return found;
  }

  private static Optional<HostedPacks.Use> inUse(Wanted wanted, PackVersion version, Instant now) {
    Optional<HostedPack> seen = wanted.seen();
    Optional<PackVersion> active = seen.flatMap(HostedPack::active);
    if (!wanted.active()) {
      return active.map(ending -> withdrawn(seen.orElseThrow(), ending, now));
    }
    Optional<PackVersion> trial =
        seen.flatMap(HostedPack::shadow).filter(tried -> tried.number() != version.number());
    return Optional.of(
        new HostedPacks.Use(
            OptionalInt.of(version.number()),
            trial.map(tried -> OptionalInt.of(tried.number())).orElse(OptionalInt.empty()),
            trial.flatMap(_ -> seen.flatMap(HostedPack::shadowSince)),
            OptionalInt.empty(),
            now));
  }

  private static HostedPacks.Use withdrawn(HostedPack seen, PackVersion ending, Instant now) {
    return new HostedPacks.Use(
        OptionalInt.empty(),
        seen.shadow().map(tried -> OptionalInt.of(tried.number())).orElse(OptionalInt.empty()),
        seen.shadowSince(),
        OptionalInt.of(ending.number()),
        now);
  }

  private AuditRecord record(
      Planning planning, PolicyId id, String change, PackVersion version, Instant at) {
    return recorder.write(
        RecordKind.POLICY_CHANGED,
        planning.org(),
        at,
        planning.origin(),
        version.recorded(change, id));
  }

  private static boolean demandWithdraw(Planning planning, PolicyId id) {
    Rights.demandDeploy(
        planning.origin().caller(), DeployRight.WITHDRAW, "Withdrawing the pack " + id.value());
    return true;
  }

  /** A removed pack is withdrawn: every action by it is denied, and its versions stay. */
  @Override
  public Optional<ResourceChange> remove(Planning planning, ResourceChange.Target target) {
    return find(planning.org(), target.object())
        .filter(pack -> pack.active().isPresent())
        .map(pack -> {
          boolean _ = demandWithdraw(planning, pack.id());
          Instant now = recorder.now();
          PackVersion ending = pack.active().orElseThrow();
          ResourceChange removed =
              ResourceChange.delete(
                  target,
                  seen(Optional.of(pack)),
                  new HostedPacks.Together(
                          planning.org(),
                          pack.id(),
                          Optional.of(pack),
                          Optional.empty(),
                          JsonObject.EMPTY,
                          Optional.of(withdrawn(pack, ending, now)),
                          OptionalLong.empty(),
                          List.of(record(planning, pack.id(), "deprecated", ending, now)))
                      .write());
          return removed.replayedWith(ResourceChange.WITHDRAWN);
        });
  }
}
