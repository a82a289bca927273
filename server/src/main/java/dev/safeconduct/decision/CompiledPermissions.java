package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Permissions as one pack evaluates them: everything that depends on these two alone, computed once
 * and used by all decisions. It does not hold the pack: else it would keep versions that are no
 * longer used.
 */
public final class CompiledPermissions {
  private final Permissions permissions;
  private final Limits limits;
  private final List<JsonObject> params;
  private final JsonObject policy;
  private final @Nullable Reason capability;
  private final @Nullable Reason assurance;

  private CompiledPermissions(Permissions permissions, PolicyPack pack) {
    this.permissions = permissions;
    limits = effective(permissions.limits(), pack.containers());
    params = permissions.capabilities().params(pack.capabilities());
    policy =
        JsonObject.builder()
            .put("id", pack.id().value())
            .put("min_assurance", pack.minAssurance().wire())
            .build();
    capability = CommonChecks.capability(permissions, pack);
    assurance = CommonChecks.assurance(permissions, limits, pack.minAssurance());
  }

  public static CompiledPermissions of(Permissions permissions, PolicyPack pack) {
    return new CompiledPermissions(permissions, pack);
  }

  public Permissions permissions() {
    return permissions;
  }

  /** The effective limits; for a pack with limits per value those of no value. */
  public Limits limits() {
    return limits;
  }

  /** The {@code params} of the capabilities that admit the pack. */
  List<JsonObject> params() {
    return params;
  }

  /** The pack, as expressions read it. */
  JsonObject policy() {
    return policy;
  }

  /** S3: the reason why the passport's capabilities do not admit the pack, if they do not. */
  @Nullable Reason capability() {
    return capability;
  }

  /** S4: the reason why the passport's assurance does not suffice, if it does not. */
  @Nullable Reason assurance() {
    return assurance;
  }

  /** Returns about how many bytes it takes in memory. */
  public int size() {
    return Math.toIntExact(Math.min(limits.compiledSize() + permissions.size(), 1 << 30));
  }

  /** Finds the single container of a passport's limits that a pack reads (pack catalogue 0.3). */
  private static Limits effective(JsonObject limits, List<String> containers) {
    for (String key : containers) {
      JsonValue hit = limits.present(key);
      if (hit == null && key.indexOf('.') >= 0) {
        hit = walk(limits, key);
      }
      if (hit != null) {
        return new Limits(hit instanceof JsonObject object ? object : JsonObject.EMPTY);
      }
    }
    return new Limits(limits);
  }

  private static @Nullable JsonValue walk(JsonObject limits, String key) {
    JsonValue at = limits;
    int start = 0;
    while (start <= key.length()) {
      int dot = key.indexOf('.', start);
      String part = key.substring(start, dot < 0 ? key.length() : dot);
      at = at instanceof JsonObject object ? object.present(part) : null;
      if (at == null || dot < 0) {
        return at;
      }
      start = dot + 1;
    }
    return null;
  }
}
