package dev.safeconduct.deploy;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.util.List;

/** Evaluates recent decisions again with the objects of a plan. */
@FunctionalInterface
public interface Effects {
  /** Returns how many of the last day's decisions would change, for the answer to a plan. */
  JsonObject of(OrgId org, List<ResourceChange> changes);
}
