package dev.safeconduct.deploy;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A kind of object that files describe; its feature implements it. */
public interface ResourceKind {
  /** Returns the names of the kind in files; the first is that of its targets. */
  List<String> names();

  /** Returns how many objects there are to describe, or a little fewer, with one query at most. */
  long count(OrgId org);

  /** Returns the objects that exist, as files describe them. */
  List<JsonObject> describe(Planning planning);

  /**
   * Compares resources with their objects; changes nothing.
   *
   * @throws dev.safeconduct.error.ProblemException naming the resource
   */
  List<ResourceChange> plan(Planning planning, List<Resource> resources);

  /**
   * Returns the object's present members, to compare with what was applied; empty if it is gone.
   */
  Optional<JsonObject> current(OrgId org, String object);

  /** Returns the removal of an object; empty if it is gone, or if the kind is never removed. */
  default Optional<ResourceChange> remove(Planning planning, ResourceChange.Target target) {
    return Optional.empty(); // it stays when no file describes it any more
  }

  /** Returns the removals of all objects of the kind that a plan removes. */
  default List<ResourceChange> removeAll(Planning planning, List<ResourceChange.Target> targets) {
    return targets.stream().flatMap(target -> remove(planning, target).stream()).toList();
  }

  /**
   * One plan.
   *
   * @param managed the objects that files manage, by kind and name
   * @param agents the agents of passports in this plan, by slug
   * @param changes how many objects change, so far
   */
  record Planning(
      Origin origin,
      OrgId org,
      Map<String, Managed> managed,
      Map<String, AgentId> agents,
      AtomicInteger changes) {
    /** Of one apply: decisions on every node wait for its transaction. */
    static final int MOST_CHANGES = 1_000;

    static Planning of(Origin origin, OrgId org, List<Managed> managed) {
      var byName = new HashMap<String, Managed>();
      managed.forEach(each -> byName.put(key(each.target().kind(), each.target().name()), each));
      return new Planning(origin, org, byName, new HashMap<>(), new AtomicInteger());
    }

    /**
     * Counts an object that changes, before the others cost time.
     *
     * @throws dev.safeconduct.error.ProblemException when an apply does not write so many
     */
    public void countChange() {
      demandFew(changes.incrementAndGet());
    }

    static void demandFew(long written) {
      if (written > MOST_CHANGES) {
        throw ProblemException.invalid(
            "resources",
            "An apply writes at most 1,000 objects and labels. Divide the files into folders,"
                + " each with its own owner, and apply one after the other.");
      }
    }

    /** Returns the id of the object that files manage under this name. */
    public Optional<String> object(String kind, String name) {
      return Optional.ofNullable(managed.get(key(kind, name))).map(each -> each.target().object());
    }

    /** Returns the ids of the objects of a kind that files manage. */
    public Set<String> objects(String kind) {
      return managed.values().stream()
          .map(Managed::target)
          .filter(target -> target.kind().equals(kind))
          .map(ResourceChange.Target::object)
          .collect(Collectors.toUnmodifiableSet());
    }

    private static String key(String kind, String name) {
      return kind + "/" + name;
    }
  }
}
