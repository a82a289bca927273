package dev.safeconduct.deploy;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What applying a resource does to its object.
 *
 * @param target the object
 * @param seen the versions of the object, and of what it is made from, when it was planned
 * @param shown what a plan shows of it
 * @param present the object's document that it was compared with, if its kind keeps that
 * @param candidate the object's whole document after the change, for a replay; or {@link
 *     #WITHDRAWN}
 * @param write writes the change with its records; its answer is false if the object has changed
 *     since it was planned
 * @param afterwards runs once the change is committed
 */
public record ResourceChange(
    Target target,
    Action action,
    String seen,
    Shown shown,
    Optional<JsonObject> present,
    Optional<JsonObject> candidate,
    Optional<Mutation<Boolean>> write,
    Runnable afterwards) {
  /** In the place of a pack's document: the pack is withdrawn, and denies every action by it. */
  public static final JsonObject WITHDRAWN = JsonObject.of("withdrawn", true);

  /** What happens to the object. */
  public enum Action {
    CREATE,
    UPDATE,
    UNCHANGED,
    DELETE;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The object that a resource describes.
   *
   * @param kind {@code Passport} for templates, too
   * @param object its id
   * @param name its name in files
   */
  public record Target(String kind, String object, String name) {
    /** Returns what tells the object from every other one of its organization. */
    List<String> key() {
      return List.of(kind, object);
    }
  }

  /** A member that changes; a value that is absent is JSON null. */
  public record Difference(String member, JsonValue before, JsonValue after) {
    /** Returns the differences of these members, in the order of the newer object. */
    public static List<Difference> between(JsonObject before, JsonObject after) {
      var found = new ArrayList<Difference>();
      after.forEach((name, value) -> {
        JsonValue old = before.get(name);
        if (!value.equals(old)) {
          found.add(new Difference(name, old == null ? JsonNull.NULL : old, value));
        }
      });
      before.forEach((name, value) -> {
        if (!after.has(name)) {
          found.add(new Difference(name, value, JsonNull.NULL));
        }
      });
      return found;
    }

    private JsonObject json() {
      return JsonObject.builder()
          .put("member", member)
          .put("before", before)
          .put("after", after)
          .build();
    }
  }

  /**
   * What a plan shows of a change.
   *
   * @param differences the members that change; without secrets
   * @param warnings for the author of the file, one sentence each
   * @param applied the members that the file sets, in stored form and without secrets
   * @param drift the members that a person has changed since the last apply
   */
  public record Shown(
      List<Difference> differences, List<String> warnings, JsonObject applied, List<String> drift) {
    public Shown {
      differences = List.copyOf(differences);
      warnings = List.copyOf(warnings);
      drift = List.copyOf(drift);
    }

    private static Shown of(List<Difference> differences) {
      return new Shown(differences, List.of(), JsonObject.EMPTY, List.of());
    }
  }

  private ResourceChange(
      Target target,
      Action action,
      String seen,
      List<Difference> differences,
      Optional<Mutation<Boolean>> write) {
    this(
        target,
        action,
        seen,
        Shown.of(differences),
        Optional.empty(),
        Optional.empty(),
        write,
        ResourceChange::nothing);
  }

  public static ResourceChange create(
      Target target, JsonObject applied, List<String> warnings, Mutation<Boolean> write) {
    return new ResourceChange(
            target,
            Action.CREATE,
            "",
            Difference.between(JsonObject.EMPTY, applied),
            Optional.of(write))
        .applying(applied, warnings);
  }

  public static ResourceChange update(
      Target target, String seen, List<Difference> differences, Mutation<Boolean> write) {
    return new ResourceChange(target, Action.UPDATE, seen, differences, Optional.of(write));
  }

  /** Returns the removal of an object. */
  public static ResourceChange delete(Target target, String seen, Mutation<Boolean> write) {
    return new ResourceChange(target, Action.DELETE, seen, List.of(), Optional.of(write));
  }

  /** Returns that the object is as described. */
  public static ResourceChange unchanged(Target target, String seen) {
    return new ResourceChange(target, Action.UNCHANGED, seen, List.of(), Optional.empty());
  }

  /** Returns the same with what the file sets, and warnings. */
  public ResourceChange applying(JsonObject members, List<String> warnings) {
    return with(new Shown(shown.differences(), warnings, members, shown.drift()));
  }

  ResourceChange drifted(List<String> members) {
    return with(new Shown(shown.differences(), shown.warnings(), shown.applied(), members));
  }

  private ResourceChange with(Shown other) {
    return new ResourceChange(target, action, seen, other, present, candidate, write, afterwards);
  }

  /** Returns the same with the object's present document, which is not read again. */
  public ResourceChange comparedWith(JsonObject document) {
    return new ResourceChange(
        target, action, seen, shown, Optional.of(document), candidate, write, afterwards);
  }

  /** Returns the same with a document to replay decisions with. */
  public ResourceChange replayedWith(JsonObject document) {
    return new ResourceChange(
        target, action, seen, shown, present, Optional.of(document), write, afterwards);
  }

  /** Returns the same, which is also of this version of the object that it is made from. */
  public ResourceChange madeFrom(String version) {
    return new ResourceChange(
        target, action, seen + "/" + version, shown, present, candidate, write, afterwards);
  }

  /** Returns the same with a step after the commit. */
  public ResourceChange then(Runnable step) {
    return new ResourceChange(target, action, seen, shown, present, candidate, write, step);
  }

  boolean changes() {
    return action != Action.UNCHANGED;
  }

  /** Returns what a state digest covers. */
  JsonValue version() {
    return new JsonArray(
        List.of(
            new JsonString(target.kind()),
            new JsonString(action == Action.CREATE ? target.name() : target.object()),
            new JsonString(seen),
            new JsonString(action.wire()),
            new JsonArray(shown.differences().stream().<JsonValue>map(Difference::json).toList())));
  }

  JsonObject json(Optional<Managed> managed) {
    boolean exists = action != Action.CREATE;
    return JsonObject.builder()
        .put("kind", target.kind())
        .put("name", target.name())
        .put("action", action.wire())
        .putOrNull("object_id", exists ? Optional.of(target.object()) : Optional.empty())
        .put("changes", shown.differences(), Difference::json)
        .put("warnings", JsonArray.ofStrings(shown.warnings()))
        .putOrNull("managed_by", managed.map(Managed::owner))
        .put("changed_by_hand", JsonArray.ofStrings(shown.drift()))
        .build();
  }

  private static void nothing() {}
}
