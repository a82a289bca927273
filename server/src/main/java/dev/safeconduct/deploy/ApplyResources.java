package dev.safeconduct.deploy;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares an organization with files that describe it, and applies the differences: all of them in
 * one transaction, or none.
 */
public final class ApplyResources {
  private final List<ResourceKind> kinds;
  private final Deployments deployments;
  private final Recorder recorder;

  /**
   * @param kinds in the order of planning: a kind may refer to objects of earlier ones
   */
  public ApplyResources(List<ResourceKind> kinds, Deployments deployments, Recorder recorder) {
    this.kinds = List.copyOf(kinds);
    this.deployments = deployments;
    this.recorder = recorder;
  }

  /**
   * The files of an organization.
   *
   * @param owner the label of the files' owner; empty for none
   * @param revision the files' commit
   * @param prune whether objects with the owner's label that no file describes are removed
   * @param takeOver whether objects with another owner's label get this one
   */
  public record Files(
      List<Resource> resources,
      String owner,
      Optional<String> revision,
      boolean prune,
      boolean takeOver) {
    /** Returns whether the label is of another owner; files without one own no label. */
    boolean isOfOthers(Managed label) {
      return !label.owner().isEmpty() && !label.owner().equals(owner);
    }
  }

  /**
   * A plan.
   *
   * @param number how often files had changed the organization
   * @param managed the objects that files manage, by the keys of their targets
   * @param digest of the files
   */
  public record Plan(
      OrgId org,
      Files files,
      List<ResourceChange> changes,
      Map<List<String>, Managed> managed,
      long number,
      String digest) {
    /** Returns the digest of what the plan has seen and of what it does. */
    public String state() {
      var parts = new ArrayList<JsonValue>();
      parts.add(new JsonNumber((double) number));
      parts.add(new JsonString(digest));
      parts.add(new JsonString(files.owner()));
      parts.add(JsonBoolean.of(files.prune()));
      changes.forEach(change -> parts.add(change.version()));
      return CanonicalJson.digest(new JsonArray(parts));
    }

    public boolean hasChanges() {
      return changes.stream().anyMatch(ResourceChange::changes);
    }

    Optional<Managed> label(ResourceChange.Target target) {
      return Optional.ofNullable(managed.get(target.key()));
    }
  }

  List<ResourceKind> kinds() {
    return kinds;
  }

  /**
   * Compares; changes nothing.
   *
   * @throws dev.safeconduct.error.ProblemException naming the resource that is not valid
   */
  public Plan plan(Origin origin, OrgId org, Files files) {
    long number = deployments.number(org);
    List<Managed> labels = deployments.managed(org);
    var managed = new LinkedHashMap<List<String>, Managed>();
    labels.forEach(each -> managed.put(each.target().key(), each));
    Map<ResourceKind, List<Resource>> byKind = byKind(files.resources());
    var planning = ResourceKind.Planning.of(origin, org, labels);
    var changes = new ArrayList<ResourceChange>();
    for (ResourceKind kind : kinds) {
      kind.plan(planning, byKind.getOrDefault(kind, List.of())).stream()
          .map(change -> compared(kind, managed, change, files))
          .forEach(changes::add);
    }
    var targets = new HashSet<List<String>>();
    for (ResourceChange change : changes) {
      if (!targets.add(change.target().key())) {
        throw ProblemException.invalid(
            "resources",
            "Two resources describe the same object: "
                + change.target().kind()
                + " "
                + change.target().name()
                + ".");
      }
    }
    if (files.prune()) {
      List<ResourceChange.Target> gone =
          labels.stream()
              .filter(each -> each.owner().equals(files.owner()))
              .map(Managed::target)
              .filter(target -> !targets.contains(target.key()))
              .toList();
      for (ResourceKind kind : kinds) {
        changes.addAll(
            kind.removeAll(
                planning,
                gone.stream().filter(target -> kind.names().contains(target.kind())).toList()));
      }
      ResourceKind.Planning.demandFew(changes.stream().filter(ResourceChange::changes).count());
    }
    String digest =
        CanonicalJson.digest(
            new JsonArray(
                changes.stream()
                    .<JsonValue>map(change ->
                        JsonArray.ofStrings(
                            List.of(
                                change.target().kind(),
                                change.target().name(),
                                CanonicalJson.digest(change.shown().applied()))))
                    .toList()));
    return new Plan(org, files, changes, managed, number, digest);
  }

  /**
   * Applies the plan: everything, or nothing. A plan without changes writes nothing, except labels
   * of objects that files did not manage before. Files without an owner leave the labels of others.
   *
   * @return whether something was written
   * @throws dev.safeconduct.error.ProblemException 409 if something has changed since the plan
   */
  public boolean apply(Origin origin, Files files, Plan plan) {
    Instant now = recorder.now();
    List<Managed> labels = labels(files, plan, now);
    List<Managed> released = released(files, plan);
    if (!plan.hasChanges() && labels.isEmpty() && released.isEmpty()) {
      return false;
    }
    ResourceKind.Planning.demandFew(written(plan, labels, released));
    deployments.write(
        new Deployments.Apply(
            plan.org(),
            plan.number(),
            plan.changes().stream().flatMap(change -> change.write().stream()).toList(),
            labels,
            released,
            record(origin, files, plan, labels.size(), now)));
    // Together: each may wait half a minute for receivers.
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      plan.changes().forEach(change -> threads.execute(change.afterwards()));
    }
    return true;
  }

  /**
   * Returns why an apply of the plan would be refused although the plan is not: objects that do not
   * change get labels, too.
   */
  Optional<String> refusal(Files files, Plan plan) {
    try {
      ResourceKind.Planning.demandFew(
          written(plan, labels(files, plan, recorder.now()), released(files, plan)));
      return Optional.empty();
    } catch (ProblemException e) {
      return Optional.of(e.problem().message());
    }
  }

  /** Returns the labels to write. */
  private static List<Managed> labels(Files files, Plan plan, Instant now) {
    var labels = new ArrayList<Managed>();
    for (ResourceChange change : plan.changes()) {
      if (!isRemoved(change)) {
        Optional<Managed> before = plan.label(change.target());
        if (files.owner().isEmpty() && before.filter(files::isOfOthers).isPresent()) {
          continue;
        }
        Managed label =
            new Managed(
                plan.org(),
                change.target(),
                files.owner(),
                files.revision(),
                change.shown().applied(),
                now);
        if (change.changes() || before.isEmpty() || isOther(before.get(), label)) {
          labels.add(label);
        }
      }
    }
    return labels;
  }

  /** Returns how many objects change, or have a label that does. */
  private static long written(Plan plan, List<Managed> labels, List<Managed> released) {
    Stream<ResourceChange.Target> changed =
        plan.changes().stream().filter(ResourceChange::changes).map(ResourceChange::target);
    Stream<ResourceChange.Target> labelled =
        Stream.of(labels, released).flatMap(List::stream).map(Managed::target);
    return Stream.concat(changed, labelled).map(ResourceChange.Target::key).distinct().count();
  }

  private static boolean isRemoved(ResourceChange change) {
    return change.action() == ResourceChange.Action.DELETE;
  }

  private static boolean isOther(Managed before, Managed after) {
    return !before.owner().equals(after.owner())
        || !before.target().equals(after.target())
        || !before.applied().equals(after.applied());
  }

  /** Returns the labels of objects that are gone from the files, or removed. */
  private static List<Managed> released(Files files, Plan plan) {
    if (!files.prune()) {
      return List.of();
    }
    Set<List<String>> kept =
        plan.changes().stream()
            .filter(change -> !isRemoved(change))
            .map(change -> change.target().key())
            .collect(Collectors.toUnmodifiableSet());
    return plan.managed().values().stream()
        .filter(each -> each.owner().equals(files.owner()))
        .filter(each -> !kept.contains(each.target().key()))
        .toList();
  }

  private AuditRecord record(Origin origin, Files files, Plan plan, int labels, Instant now) {
    JsonObject.Builder what =
        JsonObject.builder()
            .put("change", "files_applied")
            .putIfPresent("revision", files.revision())
            .put("owner", files.owner())
            .put("files_digest", plan.digest())
            .put("managed", (long) labels);
    List<String> taken =
        files.owner().isEmpty()
            ? List.of()
            : plan.changes().stream()
                .filter(change -> plan.label(change.target()).filter(files::isOfOthers).isPresent())
                .map(change -> change.target().kind() + " " + change.target().name())
                .toList();
    if (!taken.isEmpty()) {
      what.put("taken_over", JsonArray.ofStrings(taken));
    }
    for (ResourceChange.Action action : ResourceChange.Action.values()) {
      if (action != ResourceChange.Action.UNCHANGED) {
        what.put(
            action.wire(),
            JsonArray.ofStrings(
                plan.changes().stream()
                    .filter(change -> change.action() == action)
                    .map(change -> change.target().kind() + " " + change.target().name())
                    .toList()));
      }
    }
    return recorder.write(RecordKind.CONFIG, plan.org(), now, origin, what.build());
  }

  /** Returns the change with what a person has changed, and with a warning about another label. */
  private static ResourceChange compared(
      ResourceKind kind, Map<List<String>, Managed> managed, ResourceChange change, Files files) {
    Optional<Managed> label = Optional.ofNullable(managed.get(change.target().key()));
    if (label.isEmpty()) {
      return change;
    }
    String owner = label.get().owner();
    var warnings = new ArrayList<>(change.shown().warnings());
    // Files without an owner may say what is there, as a plan of pulled files does.
    if (files.isOfOthers(label.get()) && (!files.owner().isEmpty() || change.changes())) {
      if (!files.takeOver()) {
        throw ProblemException.conflict(
            change.target().kind()
                + " "
                + change.target().name()
                + " has the label "
                + owner
                + "; send it as owner, or take the object over with take_over.",
            "owned_by_others");
      }
      warnings.add("The label was " + owner + "; other files may describe this object, too.");
    }
    return change
        .applying(change.shown().applied(), warnings)
        .drifted(
            change
                .present()
                .or(() -> kind.current(label.get().org(), change.target().object()))
                .map(label.get()::drift)
                .orElse(List.of()));
  }

  Optional<ResourceKind> kind(String name) {
    return kinds.stream().filter(kind -> kind.names().contains(name)).findFirst();
  }

  private Map<ResourceKind, List<Resource>> byKind(List<Resource> resources) {
    Set<String> known = new LinkedHashSet<>();
    kinds.forEach(kind -> known.addAll(kind.names()));
    var byKind = new HashMap<ResourceKind, List<Resource>>();
    for (Resource resource : resources) {
      ResourceKind kind =
          kind(resource.kind())
              .orElseThrow(() ->
                  ProblemException.invalid(
                      resource.place() + ".kind",
                      "kind must be one of "
                          + String.join(", ", known)
                          + Spelling.hint(resource.kind(), known)
                          + "."));
      byKind.computeIfAbsent(kind, _ -> new ArrayList<>()).add(resource);
    }
    return byKind;
  }
}
