package dev.safeconduct.policy.hosted;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sets which version of a pack decides and which one is evaluated as a trial. */
public final class UsePack {
  /**
   * The size of all active packs of an organization. AuthZEN requests look an action up in their
   * list, which a node with the usual heap must be able to keep.
   */
  private static final int MOST_ACTIVE_BYTES = 32 << 20;

  /** As many changes to the packs of one organization may be made at the same time. */
  private static final int MAX_TRIES = 64;

  private final HostedPacks packs;
  private final PackCache compiled;
  private final PolicyCatalog builtIn;
  private final Recorder recorder;

  /**
   * @param builtIn the packs of everybody, which are always active
   */
  public UsePack(HostedPacks packs, PackCache compiled, PolicyCatalog builtIn, Recorder recorder) {
    this.packs = packs;
    this.compiled = compiled;
    this.builtIn = builtIn;
    this.recorder = recorder;
  }

  /**
   * Activates the version; the newest if none is named. A trial of that version ends.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for an unknown pack or version, 409 for a
   *     withdrawn one, for one with an AuthZEN action that another active pack evaluates, and for
   *     one that is too large beside the active packs
   */
  public HostedPack activate(Origin origin, OrgId org, PolicyId id, OptionalInt number) {
    return change(
        origin,
        org,
        id,
        "activated",
        pack -> {
          PackVersion version = usable(pack, number);
          demandFit(org, List.of(compiled.version(pack, version)), Set.of());
          boolean tried = isOf(pack.shadow(), version);
          return new Change(
              version,
              new HostedPacks.Use(
                  OptionalInt.of(version.number()),
                  tried ? OptionalInt.empty() : number(pack.shadow()),
                  tried ? Optional.empty() : pack.shadowSince(),
                  OptionalInt.empty(),
                  recorder.now()),
              isOf(pack.active(), version) && !tried);
        });
  }

  /**
   * Withdraws the version permanently; the active one if none is named. The version is then no
   * longer active or on trial. Without an active version every action is denied.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for an unknown pack or version
   */
  public HostedPack deprecate(Origin origin, OrgId org, PolicyId id, OptionalInt number) {
    return change(
        origin,
        org,
        id,
        "deprecated",
        pack -> {
          PackVersion version = number.isPresent() ? version(pack, number.getAsInt()) : inUse(pack);
          boolean tried = isOf(pack.shadow(), version);
          return new Change(
              version,
              new HostedPacks.Use(
                  isOf(pack.active(), version) ? OptionalInt.empty() : number(pack.active()),
                  tried ? OptionalInt.empty() : number(pack.shadow()),
                  tried ? Optional.empty() : pack.shadowSince(),
                  OptionalInt.of(version.number()),
                  recorder.now()),
              version.deprecatedAt().isPresent());
        });
  }

  /**
   * Starts a trial of the version in addition to the active one; the newest if none is named.
   * Requests are evaluated against both, and only the differences are stored.
   *
   * @throws dev.safeconduct.error.ProblemException 404 for an unknown pack or version, 409 for a
   *     withdrawn one, the active one, or a pack without an active version
   */
  public HostedPack shadow(Origin origin, OrgId org, PolicyId id, OptionalInt number) {
    return change(
        origin,
        org,
        id,
        "shadow_started",
        pack -> {
          PackVersion version = usable(pack, number);
          if (pack.active().isEmpty()) {
            throw PublishPack.conflict(
                "No version of the pack is active, so there is nothing to try one beside.",
                "no_active_version");
          }
          if (isOf(pack.active(), version)) {
            throw PublishPack.conflict(
                "Version " + version.number() + " is the active one; try another beside it.",
                "version_active");
          }
          Instant now = recorder.now();
          return new Change(
              version,
              new HostedPacks.Use(
                  number(pack.active()),
                  OptionalInt.of(version.number()),
                  Optional.of(now),
                  OptionalInt.empty(),
                  now),
              isOf(pack.shadow(), version));
        });
  }

  /** Ends the trial, if there is one. */
  public HostedPack stopShadow(Origin origin, OrgId org, PolicyId id) {
    return change(
        origin,
        org,
        id,
        "shadow_stopped",
        pack ->
            new Change(
                pack.shadow().orElse(pack.latest()),
                new HostedPacks.Use(
                    number(pack.active()),
                    OptionalInt.empty(),
                    Optional.empty(),
                    OptionalInt.empty(),
                    recorder.now()),
                pack.shadow().isEmpty()));
  }

  /**
   * Checks packs that become active together: AuthZEN callers name an action and a type of
   * resource, which one pack must evaluate.
   *
   * @param leaving packs that are withdrawn at the same time
   */
  void demandFit(OrgId org, List<PolicyPack> candidates, Set<PolicyId> leaving) {
    Set<PolicyId> ids =
        candidates.stream().map(PolicyPack::id).collect(Collectors.toUnmodifiableSet());
    List<PolicyPack> active = compiled.readActive(org);
    List<PolicyPack> own =
        active.stream()
            .filter(other -> !ids.contains(other.id()) && !leaving.contains(other.id()))
            .toList();
    long bytes = Stream.concat(own.stream(), candidates.stream()).mapToLong(PolicyPack::size).sum();
    // Packs that were active before there was a bound may be made smaller, and activated again.
    if (bytes > MOST_ACTIVE_BYTES && bytes > active.stream().mapToLong(PolicyPack::size).sum()) {
      throw PublishPack.conflict(
          "The active packs of the organization would take "
              + Math.ceilDiv(bytes, 1 << 20)
              + " MiB of memory; "
              + (MOST_ACTIVE_BYTES >> 20)
              + " MiB is the most. Deprecate packs, or make their rules and patterns shorter.",
          "active_policies_too_large");
    }
    List<PolicyPack> others = Stream.concat(builtIn.all().stream(), own.stream()).toList();
    for (int i = 0; i < candidates.size(); i++) {
      PolicyPack candidate = candidates.get(i);
      others.forEach(other -> refuseSharedAction(candidate, other));
      candidates
          .subList(i + 1, candidates.size())
          .forEach(other -> refuseSharedAction(candidate, other));
    }
  }

  private static void refuseSharedAction(PolicyPack candidate, PolicyPack other) {
    AccessModel.sharedAction(candidate, other)
        .ifPresent(action -> {
          throw PublishPack.conflict(
              "The packs "
                  + candidate.id()
                  + " and "
                  + other.id()
                  + " both evaluate the action "
                  + action
                  + ". Change the actions or the resource types under authzen of one, or"
                  + " deprecate it.",
              "action_conflict");
        });
  }

  /** A change to a version; no change if it is already in effect. */
  private record Change(PackVersion version, HostedPacks.Use use, boolean isDone) {}

  private HostedPack change(
      Origin origin, OrgId org, PolicyId id, String what, Function<HostedPack, Change> how) {
    for (int i = 0; i < MAX_TRIES; i++) {
      long lastChange = packs.lastChange(org);
      HostedPack seen = PublishPack.find(packs, org, id);
      Change change = how.apply(seen);
      if (change.isDone()) {
        return seen;
      }
      JsonObject.Builder details =
          JsonObject.builder()
              .put("change", what)
              .put("policy_id", id.value())
              .put("version", change.version().number())
              .put("policy_digest", change.version().digest());
      seen.active()
          .ifPresent(active ->
              details
                  .put("previous_version", active.number())
                  .put("previous_policy_digest", active.digest()));
      AuditRecord entry =
          recorder.write(
              RecordKind.POLICY_CHANGED, org, change.use().at(), origin, details.build());
      if (packs.use(seen, change.use(), lastChange, entry)) {
        return PublishPack.find(packs, org, id);
      }
    }
    throw PublishPack.busy();
  }

  private PackVersion usable(HostedPack pack, OptionalInt number) {
    PackVersion version = number.isPresent() ? version(pack, number.getAsInt()) : pack.latest();
    if (version.deprecatedAt().isPresent()) {
      throw PublishPack.conflict(
          "Version " + version.number() + " is withdrawn; publish it again as a new version.",
          "version_deprecated");
    }
    return version;
  }

  private PackVersion version(HostedPack pack, int number) {
    return packs
        .version(pack.org(), pack.id(), number)
        .orElseThrow(() ->
            ProblemException.notFound(
                "The pack has no version " + number + ".",
                "unknown_version",
                java.util.Map.of("policy_id", pack.id().value())));
  }

  private static PackVersion inUse(HostedPack pack) {
    return pack.active().orElse(pack.latest());
  }

  private static boolean isOf(Optional<PackVersion> one, PackVersion other) {
    return one.map(PackVersion::number).equals(Optional.of(other.number()));
  }

  private static OptionalInt number(Optional<PackVersion> version) {
    return version.isPresent() ? OptionalInt.of(version.get().number()) : OptionalInt.empty();
  }
}
