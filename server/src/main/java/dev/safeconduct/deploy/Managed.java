package dev.safeconduct.deploy;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An object that files manage.
 *
 * @param owner the label of the files' owner; empty without one
 * @param revision the files' commit when the object was last written
 * @param applied the members that the files have set; null for those that they have removed
 */
public record Managed(
    OrgId org,
    ResourceChange.Target target,
    String owner,
    Optional<String> revision,
    JsonObject applied,
    Instant appliedAt) {
  /** Returns the members that differ from what the files have set. */
  public List<String> drift(JsonObject current) {
    var changed = new ArrayList<String>();
    applied.forEach((name, value) -> {
      if (!value.equals(Objects.requireNonNullElse(current.get(name), JsonNull.NULL))) {
        changed.add(name);
      }
    });
    return changed;
  }
}
